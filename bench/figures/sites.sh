# shellcheck shell=bash disable=SC2154,SC1091,SC2086
# Call sites of the hooks, removed from the running program and put back: how many are found, how long a switch of all takes
# while the program runs, and what is left of the hooks' cost. The binary is linked with no hooks; empty ones are preloaded.

# shellcheck source=bench/real_programs.sh
. "$root/bench/real_programs.sh"
figure "call sites turned off and on (goal: sqlite3 within 100 us, the program never stopped)"
prepare_programs

# run_sites PROGRAM VARIANT TIMES: user time in ms of the best of five runs, in `best`.
run_sites() {
    local time
    best=""
    for _ in 1 2 3 4 5; do
        run_program $1 $2 long
        rm -f sites
        time=$( { TIMEFORMAT=%U; time env LD_PRELOAD="$programs/bench_switch_sites.so" ${3:+BENCH_SITES=$3} \
            BENCH_SITES_FILE="$PWD/sites" "${command[@]}" <"$input" >/dev/null 2>&1; } 2>&1 )
        time=$(calc "$time * 1000" 0)
        [ -n "$best" ] && [ "$best" -le "$time" ] || best=$time
    done
}

for program in lua sqlite3 mujs bzip2; do
    compiled=$(objdump -dw "$work/programs/$program/instr" | grep -cE '(call|jmp) +[0-9a-f]+ <__cyg_profile_func_(enter|exit)@plt>')
    run_sites $program plain ""
    plain=$best
    run_sites $program instr ""
    empty=$best
    run_sites $program instr 0/0
    off=$best
    run_sites $program instr 10000/90000
    burst=$best
    read -r enters exits switches find first middle quickest <sites
    fact "$program: call sites found, of those in the binary" "$((enters + exits)) of $compiled ($(calc "$find / 1000" 1) ms)"
    if [ $program = sqlite3 ]; then
        at_most "$program: one switch of all, median of $switches while it runs" "$middle" us 100
    else
        fact "$program: one switch of all, median of $switches while it runs" "$middle us"
    fi
    fact "$program: the quickest, and the first" "$quickest, $first us"
    fact "$program: user time with empty hooks, sites off, on for a tenth" \
        "$(calc "$empty / $plain" 2), $(calc "$off / $plain" 2), $(calc "$burst / $plain" 2) of $plain ms"
done
