# shellcheck shell=bash disable=SC2015,SC2034,SC2086,SC2154
# Sourced by bench/default: exclusive shares of the functions against samples, by total variation distance.
#
# The truth is samples of the program counter and of the stack around it: of the program without sites, by function as the
# compiler left it; for hook calls before inlining, of the same binary with its sites off, by inlined function. That program is
# another one, which has the no-op sites that the profile takes off: so there are the shares of the program without sites, by
# inlined function, too (shares_plain). A sample counts for the innermost of its functions that the profile knows. The floor is the
# distance of the truth's two halves to each other; the figure is the distance of a round's profile, less 1.5 floors.

# A sample copies a stack, which costs 10 to 20 us and cache lines: a lower rate in more runs disturbs the program less.
sampling_runs=${BENCH_SAMPLING_RUNS:-4} # even; alternately for either half
sampling_rate=${BENCH_SAMPLING_RATE:-5000}
stack_sizes="4096 16384 65528" # of the copied stacks, the next where too many end before the program

# measure_shares: emits shares; leaves shares.floor. Uses the profiles of the rounds.
measure_shares() {
    if ! command -v perf >/dev/null || ! perf record -q -e cpu-clock -o probe true >/dev/null 2>&1; then
        verify_shares
        return 0
    fi
    take_truth || { note "shares: perf could not sample"; return 0; }
    judge_shares shares
    emit shares_floor $floor 0 $sampling_runs
    [ $build_name = gcc ] || return 0
    take_truth_of "$(binary_of $program gcc plain)" yes || { note "shares: perf could not sample"; return 0; }
    judge_shares shares_plain
}

# judge_shares FIGURE: emits it, of all rounds' profiles against `truth`; sets `floor`.
judge_shares() {
    local profile beyond error count
    for profile in profile.default.*; do
        figure_awk shares "$profile" "$truth/half.0" "$truth/half.1" ||
            die "$profile: no time and no samples in its functions"
    done >shares.rounds
    figure_awk shares_row shares.rounds >judged
    read -r beyond error count floor <judged
    emit $1 $beyond $error $count
}

# take_truth: that of `shares`, of this build.
take_truth() {
    if [ $build_name = gcc ]; then
        take_truth_of "$(binary_of $program gcc off)" yes
    else
        take_truth_of "$(binary_of $program $build_name plain)" no
    fi
}

# take_truth_of BINARY INLINED: samples once for all builds with the same truth; sets `truth` to the folder with half.0 and half.1,
# lines "SAMPLES NAME<TAB>NAME...": a chain of functions, the innermost first; with inlined ones where INLINED is yes.
take_truth_of() {
    local binary=$1 inlined=$2 run stack_size lost all
    truth=$results_dir/run/truth/$program.${binary##*/}.$inlined
    [ ! -e "$truth/half.1" ] || return 0
    mkdir -p "$truth"
    for stack_size in $stack_sizes; do
        sample_runs "$binary" || return 1
        [ $((lost * 100)) -gt $all ] || break
    done
    [ $((lost * 100)) -le $all ] || note "shares: $lost of $all samples of ${binary##*/} are in no function of the program"
    rm -f samples
    tr ' ' '\n' <"$truth/lines.0" >addresses
    tr ' ' '\n' <"$truth/lines.1" >>addresses
    sort -u addresses | grep -v "^-*$" >"$truth/addresses"
    if [ $inlined = yes ]; then
        addr2line -e "$binary" -a -f -i -C <"$truth/addresses" | awk '
            /^0x[0-9a-f]+$/ { if (NR > 1) print line; sub(/^0x0*/, ""); line = $0; name = 1; next }
            name { line = line "\t" $0 }
            { name = !name }
            END { print line }'
    else
        nm -nC --defined-only "$binary" | awk -f "$parts_dir/symbols.awk" - "$truth/addresses"
    fi >"$truth/names"
    for run in 0 1; do
        awk -F '\t' '
            FNR == NR { address = $1; sub(/^[^\t]*\t/, ""); names[address] = $0; next }
            {
                count = split($0, at, " ")
                line = ""
                for (i = 1; i <= count; i++) line = line (line == "" ? "" : "\t") names[at[i]]
                samples[line]++
            }
            END { for (line in samples) print samples[line] " " line }' "$truth/names" "$truth/lines.$run" >"$truth/half.$run"
        rm "$truth/lines.$run"
    done
    [ -s "$truth/half.0" ] && [ -s "$truth/half.1" ]
}

# sample_runs BINARY: one line a sample to lines.0 and lines.1 in turns (frames.awk), with stacks of $stack_size bytes. Sets `lost`
# (samples in no function of the program) and `all`. The largest stacks are taken less often. Ends early where too many are lost.
sample_runs() {
    local binary=$1 rate=$sampling_rate run
    [ $stack_size -lt 65528 ] || rate=$((sampling_rate / 3))
    : >"$truth/lines.0"
    : >"$truth/lines.1"
    for ((run = 0; run < sampling_runs; run++)); do
        rm -f samples
        progress "$program $build_name: sampling ${binary##*/}, stacks of $stack_size bytes, run $((run + 1)) of $sampling_runs"
        perf record -q --no-buildid --no-buildid-cache -o samples -e cpu-clock -F $rate --call-graph dwarf,$stack_size -- \
            "$binary" "${arguments[@]}" <"$input" >/dev/null 2>messages &&
            DEBUGINFOD_URLS="" perf script -i samples --no-inline --max-stack 48 -F "$(script_fields)" 2>messages |
            awk -v binary="$binary" -v delta="$(code_delta "$binary")" -f "$parts_dir/frames.awk" >>"$truth/lines.$((run % 2))" ||
            { tail -n 3 messages >&2; return 1; }
        read -r lost all < <(awk '{ lost += $0 == "-" } END { print lost + 0, NR }' "$truth"/lines.?)
        [ $((lost * 100)) -le $all ] || [ $rate -lt $sampling_rate ] || return 0
    done
}

# script_fields: those that tell where in its file a frame lies.
script_fields() {
    local first
    first=$(perf script -i samples -F ip,dso,dsoff 2>&1 | head -n 1 || true)
    case $first in
    *"Invalid field"*) echo ip,dso ;;
    *) echo ip,dso,dsoff ;;
    esac
}

# code_delta BINARY: address of its code less place in the file.
code_delta() {
    local address offset
    read -r offset address < <(readelf -lW "$1" | awk '$1 == "LOAD" && / R E / { print $2, $3; exit }')
    echo $((address - offset))
}

# verify_shares: without perf, what `pcomp verify` can do; its distance is of runs of its own.
verify_shares() {
    local command quoted
    printf -v quoted '%q ' "${arguments[@]}"
    command="$quoted <$(printf %q "$input")"
    if "$pcomp" verify -n 2 $record_options --truth sampled --format json --plain "$(binary_of $program $build_name plain) $command" \
        --instrumented "$(binary_of $program $build_name sites) $command" >verify.json 2>messages; then
        read -r distance floor < <("$programs/bench_report_value" get verify.json sampled.distance_compensated_points \
            sampled.floor_points | paste -sd' ')
        emit shares "$(awk -v d=$distance -v f=$floor 'BEGIN { v = d - 1.5 * f; print (v > 0 ? v : 0) }')" 1e9 1
        emit shares_floor $floor 0 1
    else
        note "shares: no perf, and $(tail -n 1 messages)"
    fi
}
