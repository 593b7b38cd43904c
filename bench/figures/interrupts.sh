# shellcheck shell=bash disable=SC2154
# What the kernel's part of a sample takes: with a signal for each, and as a record with 4 KiB of stack that is read
# later; and what the event's interrupt takes without either. Of a thread that reads the clock, and of programs that work on some memory.

figure "pauses of a thread for a perf sample, quartiles"
pauses=$programs/bench_interrupt_pauses
if "$pauses" 50021 1 >/dev/null 2>&1; then
    for period in 50021 200003; do
        fact "a signal for each, every $((period / 1000)) us" "$("$pauses" $period 1)" us
        fact "records, every $((period / 1000)) us" "$("$pauses" $period 0)" us
    done
    figure "what a perf sample costs, one each ms, by the program's memory"
    for kib in 4 600 4000; do
        for way in signal record none; do
            fact "$kib KiB, $way" "$("$programs/bench_interrupt_costs" $kib $way)" us
        done
    done
else
    fact "not measured" "perf events are not allowed here"
fi
