#!/bin/bash
# What pcomp says of a program with hot functions by default: their calls, their share from samples, sums that hold.
. "$(dirname "$0")/case.sh"

# record NAME SECONDS OPTION... : of the program `hot`, within some time; leaves NAME.csv, NAME.txt and NAME.json.
record()
{
    local name=$1 limit=$2
    shift 2
    run 0 timeout "$limit" "$PCOMP" record -o "$name" "$@" -- ./hot
    run 0 "$PCOMP" report --format csv "$name" && mv "$work/out" "$work/$name.csv"
    run 0 "$PCOMP" report -v "$name" && mv "$work/out" "$work/$name.txt"
    run 0 "$PCOMP" report --format json "$name" && mv "$work/out" "$work/$name.json"
}

# holds NAME EXPRESSION : of awk, with v[FUNCTION, COLUMN], sum and computing (of exclusive times), and total.
holds()
{
    local total
    total=$(grep -o '"total_all_threads": {[^}]*' "$work/$1.json" | grep -o '"compensated": [^,]*' | cut -d' ' -f2)
    awk -F, -v total="$total" '
        NR == 1 { for (i = 1; i <= NF; i++) column[i] = $i; next }
        { for (i = 2; i <= NF; i++) v[$1, column[i]] = $i; sum += v[$1, "compensated_exclusive_ns"]
          computing += v[$1, "computing_exclusive_ns"] }
        END { exit !('"$2"') }' "$work/$1.csv" && return
    fail "$1: not so: $2"
    cat "$work/$1.txt" >&2
}

conserved='(sum - total) ^ 2 <= (1e-6 * total) ^ 2 && total > 0'
share='v["hot", "computing_exclusive_ns"] / computing'

for sampler in auto timer static; do
    link=shared
    [ "$sampler" = static ] && link=fullstatic
    build gcc "$link" hot -O1 "$SOURCES/programs/hot_functions.c"
    record "all_$sampler" 60 --sampler "${sampler/static/auto}"
    holds "all_$sampler" 'v["hot", "N"] == 3000000 && v["hot", "level"] == "counted" && v["hot", "exact"] == "true"'
    holds "all_$sampler" 'v["work", "N"] == 1 && v["work", "level"] == "timed" && v["main", "N"] == 1'
    holds "all_$sampler" "$share > 0.5"
    holds "all_$sampler" "$conserved"
    holds "all_$sampler" 'v["work", "compensated_inclusive_ns"] >= v["hot", "compensated_inclusive_ns"]'
    grep -q 'samples of the call stack' "$work/all_$sampler.txt" || fail "the report does not mention samples"
    grep -q '"name": "never"' "$work/all_$sampler.json" && holds "all_$sampler" 'v["never", "N"] == 0'
done

build gcc shared hot -O1 "$SOURCES/programs/hot_functions.c"
record none 60 --sampler off
holds none 'v["hot", "N"] == 3000000 && v["hot", "level"] == "counted" && v["hot", "computing_exclusive_ns"] == ""'
holds none "$conserved"
grep -q -e '--sampler off' "$work/none.txt" || { fail "the report does not say why"; cat "$work/none.txt" >&2; }

# More calls than any limit allows to count.
build gcc shared hot "-O1 -DEMPTY_CALLS=300000000" "$SOURCES/programs/hot_functions.c"
record sampled 60
holds sampled 'v["empty", "level"] == "sampled" && v["empty", "exact"] == "false" && v["empty", "calls_uncertainty"] > 0'
holds sampled 'v["empty", "N"] > 3e7 && v["empty", "N"] < 3e9'
holds sampled 'v["hot", "exact"] == (v["hot", "calls_uncertainty"] > 0 ? "false" : "true")'
holds sampled "$conserved"
record exact 60 --counts exact
holds exact 'v["empty", "N"] == 300000000 && v["empty", "exact"] == "true" && v["empty", "calls_uncertainty"] == 0'
holds exact "$conserved"

# Code without unwind tables is its caller's (the kernel's chacha20 behind getrandom has none).
build gcc shared hot -O1 "$SOURCES/programs/assembly_leaf.c"
record assembly 60
holds assembly 'v["mix", "level"] == "counted" && v["mix", "computing_exclusive_ns"] / computing > 0.9'

# A sample belongs to what ran when it was taken, also where that has ended when it is read.
build gcc shared alternating -O1 "$SOURCES/programs/alternating.c"
run 0 "$PCOMP" record -o turns -- ./alternating
run 0 "$PCOMP" report --view tree --limit 0 --min-percent 0 --format csv turns && mv "$work/out" "$work/turns.csv"
awk -F, 'NR > 1 { name[$1] = $4; if ($4 == "leaf") { of[name[$2]] += $10; sum += $10 } }
    END { exit !(sum > 0 && of["caller"] > 0.9 * sum && of["alone"] < 0.02 * sum) }' "$work/turns.csv" || {
    fail "samples of leaf are not caller's"
    cat "$work/turns.csv" >&2
}

# Deeper than what the kernel keeps of a stack.
build gcc shared hot -O1 "$SOURCES/programs/deep_frames.c"
record deep 60
holds deep 'v["around", "level"] == "counted" && v["around", "computing_exclusive_ns"] / computing > 0.95'
finish
