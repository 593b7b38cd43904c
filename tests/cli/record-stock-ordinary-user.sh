# An ordinary user where kernel.perf_event_paranoid is 3, as on Debian: perf events are refused, and a timer samples.
. "$(dirname "$case")/stock_settings.sh"
as_user='' data=$PWD
if [ "$(id -u)" = 0 ]; then
    data=$(mktemp -d /tmp/pcomp-user.XXXXXX) && chown 65534 "$data" || skip "no directory for another user"
    as_user='setpriv --reuid 65534 --clear-groups --'
    $as_user sh -c "test -x $(command -v pcomp) && cd $data" || skip "another user does not reach this tree"
fi
(cd "$data" && $as_user without_perf pcomp record -o data -- budget_load 2>/dev/null)
counted "$data/data" | sed 's/^hot .*/hot/'
pcomp info "$data/data" 2>/dev/null | grep -o 'call stacks sampled by a timer'
[ "$data" = "$PWD" ] || rm -rf "$data"
