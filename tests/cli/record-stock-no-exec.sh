# No memory may become code (W^X, as SELinux has it): the same.
. "$(dirname "$case")/stock_settings.sh"
refusing exec pcomp record --counts exact -- budget_load 2>/dev/null
counted
