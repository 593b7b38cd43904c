# No /proc: measured as ever, the program is not harmed.
. "$(dirname "$case")/stock_settings.sh"
in_namespace 'umount -l /proc 2>/dev/null || mount -t tmpfs tmpfs /proc || exit 1
    pcomp record -- budget_load 2>/dev/null; echo $?
    pcomp report --format csv 2>/dev/null | cut -d, -f1 | grep -E "^(main|rare|hot)$" | sort'
