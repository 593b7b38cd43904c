# What a system call computes belongs to the function that calls it, whether that is much of the time or little. Where it is
# much, samples of system calls come as often as others. Six tries: samples are random.
compare() {
    pcomp report --format csv 2>/dev/null |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            NR == FNR { time[$1] = $at["computing_exclusive_ns"]; next }
            { split($0, known, "\t"); truth[known[1]] = known[2] }
            END { off = 100 * time["fetch"] / (time["fetch"] + time["compute"]) - 100 * truth["fetch"] / (truth["fetch"] + truth["compute"])
                  print (off * off <= 25 ? "shares are right" : "the share of calls is off by " off " points") }' - shares
}
for fetches in 3 60; do
    for try in 1 2 3 4 5 6; do
        pcomp record -- system_calls_load shares $fetches 2>/dev/null
        said=$(compare)
        [ "$said" != "shares are right" ] || break
    done
    echo "$said"
done
period=$(pcomp info 2>/dev/null | sed -n 's/.*by the kernel (perf) every \([0-9.]*\) µs.*/\1/p')
pcomp report --format json 2>/dev/null | tr -d ' ' | tr '{,' '\n\n' | awk -F: -v period="$period" '
    /"samples":/ { samples = $2 }
    /"computing":/ && !computing { computing = $2 / 1e3 }
    END { few = period && samples * period < 0.75 * computing
          print (few ? samples " samples in " computing " us" : "a sample a period") }'
