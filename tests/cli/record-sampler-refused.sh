# perf events asked for where the system allows none: counted functions have no times, and that is said.
why() {
    pcomp info 2>/dev/null | grep -i -o -e 'no call stacks sampled: .*' -e 'call stacks sampled by a timer'
    pcomp report -v 2>&1 | grep "counted function.*: .* time is in"
}
without_perf pcomp record --sampler perf -- budget_load 2>/dev/null
why
without_perf pcomp record --sampler auto -- budget_load 2>/dev/null
why
