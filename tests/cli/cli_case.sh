#!/bin/sh
# cli_case.sh CASE.sh: runs the script in an empty directory, and compares what it writes and its exit status with
# CASE.out, CASE.err and CASE.status beside it (none: nothing, 0). With PCOMP_ACCEPT=1 it writes them instead.
# A script that ends with `skip REASON` cannot be tried here.
# PATH has pcomp and the programs of this folder first.
set -u
case=${1%.sh}
work=$(mktemp -d) || exit 1
# profiles of killed processes lie in memory
trap 'find "$work" -name "*.pcomp" -type l -exec readlink {} + | xargs -r rm -f; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
mkdir "$work/run"
unset PCOMP_DATA PCOMP_OPTIONS PCOMP_RUN_ID COLUMNS NO_COLOR
export LC_ALL=C.UTF-8 TZ=UTC0 TMPDIR="$work"
(
    set +u
    skip() {
        echo "SKIPPED: $*"
        exit 77
    }
    columns() { # NAME...: these columns of a table in CSV, by its header
        awk -F, -v names="$*" 'BEGIN { count = split(names, name, " ") }
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
            { for (i = 1; i <= count; i++) printf "%s%s", $at[name[i]], i < count ? "," : "\n" }'
    }
    cd "$work/run" && . "$case.sh" # which finds its folder by $case
) >"$work/out" 2>"$work/err" </dev/null
echo $? >"$work/status"
if tail -n 1 "$work/out" | grep '^SKIPPED: '; then
    exit 77
fi

if [ "${PCOMP_ACCEPT:-}" ]; then
    for part in out err; do
        if [ -s "$work/$part" ]; then cp "$work/$part" "$case.$part"; else rm -f "$case.$part"; fi
    done
    if [ "$(cat "$work/status")" != 0 ]; then cp "$work/status" "$case.status"; else rm -f "$case.status"; fi
    exit 0
fi
failed=0
for part in out err status; do
    expected=$case.$part
    if [ ! -e "$expected" ]; then
        expected=$work/none
        if [ $part = status ]; then echo 0 >"$expected"; else : >"$expected"; fi
    fi
    diff -u --label "expected $part" --label "actual $part" "$expected" "$work/$part" || failed=1
done
exit $failed
