# Docker's /dev/shm of 64 MiB: the profile lies in the directory from the start.
. "$(dirname "$case")/stock_settings.sh"
in_namespace 'mount -t tmpfs -o size=64m tmpfs /dev/shm || exit 1
    pcomp record -- budget_load 2>/dev/null; find /dev/shm -name "pcomp-*" | wc -l' || skip "no tmpfs may be mounted here"
find pcomp.data -name '*.pcomp' -type f | wc -l
counted --limit 0 | grep -v hot
