# Docker's default seccomp profile: no perf events, so a timer samples; all is measured.
. "$(dirname "$case")/stock_settings.sh"
refusing docker pcomp record -- budget_load 2>/dev/null
counted | sed 's/^hot .*/hot/'
pcomp info 2>/dev/null | grep -o 'call stacks sampled by a timer'
refusing docker pcomp record --trace -- sample >/dev/null 2>&1 && pcomp report --format csv 2>/dev/null | wc -l | awk '{ print ($1 > 3) }'
