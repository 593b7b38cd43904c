# Samples tell the shares of functions, of inlined ones, too, and of what is done in libraries. Six tries: samples are random.
compare() {
    pcomp report --format csv 2>/dev/null |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            NR == FNR { time[$1] = $at["computing_exclusive_ns"]; blocked[$1] = $at["waiting_exclusive_ns"] + $at["ready_exclusive_ns"]; next }
            { split($0, known, "\t"); truth[known[1]] = known[2] }
            END { waits = "wait_a_moment"
                  late = 100 * (blocked[waits] / 1e9 / truth[waits] - 1)
                  for (f in truth) if (f != waits) { sum += time[f]; all += truth[f] }
                  for (f in truth) if (f != waits) { off = 100 * time[f] / sum - 100 * truth[f] / all; far += off < 0 ? -off : off }
                  print (far / 2 <= 6 && late * late <= 100 ? "shares are right" : "shares are off by " far / 2 " points, waiting " late " %") }' \
            - shares
}
for try in 1 2 3 4 5 6; do
    pcomp record -- shares_load shares 2>/dev/null
    said=$(compare)
    [ "$said" != "shares are right" ] || break
done
echo "$said"
pcomp report -v 2>/dev/null | grep -o 'samples of the call stack'
pcomp info 2>/dev/null | grep -o 'call stacks sampled by the kernel'
