# The EXAMPLES of the man pages are commands that run: on a program, and files, of the names that they use. Other tools that they
# are piped into are left to their own tests. pcomp top and tui need a terminal (top-terminal, tui-terminal).
folder=$(cd "$(dirname "$case")" && pwd)
command -v bash >/dev/null || skip "bash is not installed"
LIBRARY_PATH=$(pcomp flags --link | grep -o -e '-L[^ ]*' | cut -c3-)
LD_LIBRARY_PATH=$LIBRARY_PATH C_INCLUDE_PATH=$folder
export LIBRARY_PATH LD_LIBRARY_PATH C_INCLUDE_PATH
cc -O1 -g -finstrument-functions "$folder/example.c" -pthread -lpcomp -o example && cc -O1 -g "$folder/example.c" -pthread -o plain || exit 1
pcomp record -q -o data -- ./example >/dev/null && pcomp record -q --trace -o traced -- ./example >/dev/null || exit 1
# Where PAPI has no component that counts, commands run without its counters, which record-counters says.
without='s/ --counters [^ ]*//'
pcomp record -q -o counted --counters perf::PAGE-FAULTS -- ./example >/dev/null 2>&1 && without=

# commands PAGE: of its EXAMPLES, without what troff needs; variables of makefiles are none
commands() {
    awk '/^\.Sh EXAMPLES/ { on = 1; next } /^\.Sh/ { on = 0 } !on { next }
        /^\.Bd/ { block = 1; next } /^\.Ed/ { block = 0; next }
        /^\.Dl/ { print substr($0, 5) } block' "$1" | sed "s/\\\\-/-/g; s/^\\$ //; $without" | grep -v '^[A-Z]* :*= '
}

for page in "$folder"/../../docs/man/pcomp*.1; do
    name=$(basename "$page" .1)
    case $name in pcomp-top | pcomp-tui) continue ;; esac
    mkdir -p "$name/main" "$name/branch"
    (
        cd "$name" || exit 1
        for program in shop server solver program simulate instrumented main/program branch/program; do
            ln -s "$work/run/example" $program
        done
        ln -s ../plain plain
        case $name in
        pcomp-flags) rm -r main && ln -s "$folder/example.c" main.c ;;
        pcomp) rm shop && ln -s "$folder/example.c" shop.c ;;
        *) ln -s "$folder/example.c" prog.c && ln -s "$folder/example.c" program.c ;;
        esac
        for data in pcomp.data server.data main.data branch.data before.data after.data; do
            cp -r "../$([ $name = pcomp-export ] && echo traced || echo data)" $data
        done
        touch input orders.txt
        {
            cat <<'END'
set -e -o pipefail
flamegraph.pl() { cat; }
pprof() { cat "${@: -1}"; }
pcomp() { # 1 of these two is an answer: it does not fit, or a function became slower
    command pcomp "$@" || { [ $? = 1 ] && [[ $1 = predict || $1 = diff ]]; }
}
END
            commands "$page"
        } >commands.sh
        bash commands.sh >out 2>err </dev/null || { echo "$name: $(tail -n 3 err)"; exit; }
        echo "$name"
    )
done
