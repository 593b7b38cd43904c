#!/bin/bash
# record_options.sh SOURCE PCOMP: what the library reads of PCOMP_OPTIONS is what the command writes there, and each such
# option is in `pcomp record --help` and in pcomp-record(1). The rules of what goes together name such options.
set -u
cd "$1" || exit 2
bad=0
read_options=$(sed -nE 's/^.*\{"(--[a-z-]+)", (set_|&config|NULL, PCOMP_FLAG_).*/\1/p' profiler/base/config.c | sort -u)
written=$(sed -nE 's/^ +(FLAG|TEXT|PATH|LIST|CHOICE)\(o, [a-z_]+, "(--[a-z-]+)".*/\2/p' reporters/launch/record_options.h | sort -u)
[ "$(echo "$read_options" | wc -l)" -ge 10 ] || { echo "too few options found in profiler/base/config.c" && bad=1; }
diff <(echo "$read_options") <(echo "$written") || { echo "the library (<) and the command (>) differ" && bad=1; }
ruled=$(sed -nE 's/^ +\{"(--[a-z-]+)", .*(true|false), "(--[a-z-]+)".*/\1\n\3/p' profiler/format/option_rules.h | sort -u)
[ "$(echo "$ruled" | wc -l)" -ge 10 ] || { echo "too few options found in profiler/format/option_rules.h" && bad=1; }
unknown=$(comm -23 <(echo "$ruled") <(echo "$written"))
[ -z "$unknown" ] || { echo "profiler/format/option_rules.h: no options:" $unknown && bad=1; }
help=$("$2" record --help)
for option in $written; do
    grep -qE -- "^ +(-[a-zA-Z], )?$option( |$|\[)" <<<"$help" || { echo "$option: not in pcomp record --help" && bad=1; }
    grep -qE "^\.It .*Fl ${option#-}( |$)" docs/man/pcomp-record.1 || { echo "$option: not in pcomp-record(1)" && bad=1; }
done
exit $bad
