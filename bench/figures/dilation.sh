# shellcheck shell=bash disable=SC2154,SC1091,SC2086,SC2015
# How much longer programs take under this profiler and under others.

. "$here/real_programs.sh"
prepare_programs

# Tools that trace each call or interpret the program get the short input, beside plain runs of the same input.
figure "dilation: CPU time / uninstrumented CPU time (medians of $repeat, interleaved; tools with * on a short input)"
have_uftrace=no
have_callgrind=no
command -v uftrace >/dev/null && have_uftrace=yes
command -v valgrind >/dev/null && have_callgrind=yes

for round in $(seq "$repeat"); do
    for name in $program_names; do
        time_program times $name-plain $name plain long
        time_program times $name-empty $name empty long
        time_program times $name-full $name full long
        time_program times $name-pg $name pg long
        for _ in 1 2 3; do
            time_program times $name-short $name plain short
        done
        time_program times $name-full-short $name full short
        if [ $have_uftrace = yes ] && [ "$round" -le 3 ]; then
            rm -rf uftrace.data
            time_program times $name-uftrace $name instr short uftrace record --no-libcall -d uftrace.data
        fi
        if [ $have_callgrind = yes ] && [ "$round" -le 1 ]; then
            time_program times $name-callgrind $name plain short valgrind -q --tool=callgrind --callgrind-out-file=/dev/null
        fi
    done
done
rm -rf uftrace.data

# Median of CPU (user + system) or wall seconds of a label; empty when it was not run.
seconds_of() {
    awk -v label="$1" -v kind="$2" '$1 == label { print kind == "wall" ? $4 : $2 + $3 }' times | median
}
ratio() {
    local value base
    value=$(seconds_of "$1" "$3") base=$(seconds_of "$2" "$3")
    [ -n "$value" ] && calc "$value / $base" 2 || echo -
}
table() {
    printf '  %-10s %9s %7s %7s %7s %9s %9s %10s\n' "$1" plain/s empty pcomp gprof 'pcomp*' 'uftrace*' 'callgrind*'
    for name in $program_names; do
        printf '  %-10s %9s %7s %7s %7s %9s %9s %10s\n' $name "$(calc "$(seconds_of $name-plain "$1")")" \
            "$(ratio $name-empty $name-plain "$1")" "$(ratio $name-full $name-plain "$1")" \
            "$(ratio $name-pg $name-plain "$1")" "$(ratio $name-full-short $name-short "$1")" \
            "$(ratio $name-uftrace $name-short "$1")" "$(ratio $name-callgrind $name-short "$1")"
    done
}
table CPU
echo
table wall

# gprof reads no clock and callgrind counts instructions: uftrace is the peer that measures time per call.
if [ $have_uftrace = yes ]; then
    for name in $program_names; do
        ours=$(seconds_of $name-full-short CPU) theirs=$(seconds_of $name-uftrace CPU)
        at_most "$name: pcomp / uftrace, CPU time on the same input" "$(calc "$ours / $theirs" 3)" x 1
    done
else
    holds "faster than the peer that measures time per call" "-" "uftrace" no
fi
