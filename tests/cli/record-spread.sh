# How the times of a program are distributed that is known to take 20 us or 2 ms, however it ends. Without samples: one
# takes 3 us off the activation that it interrupts, which goes on until its 20 us are over all the same.
cat >check.py <<'PY'
import json, sys
spread = json.load(sys.stdin)
work = next(f for f in spread["functions"] if f["name"] == "work")
p = work["percentiles"]
bound = 15 / 16
laws = {
    "min": work["min"] >= 20e3 * bound,
    "p90": p["90"] >= 2e6 * bound, # 15 % are of 2 ms
    "order": work["min"] <= p["50"] <= p["90"] <= p["99"] <= work["max"],
    "short and long": sum(b["activations"] for b in spread["buckets"] if b["name"] == "work" and b["time"] >= 2e6 * bound)
                      >= 15 * work["activations"] // 100 - 2,
    "longest": max(l["time"] for l in spread["longest"] if l["name"] == "work") == work["max"],
    "day": all(abs(l["start"] - now) < 3600 for l in spread["longest"] for now in [float(sys.argv[1])]),
}
print(work["calls"], "calls,", work["calls"] - work["activations"] <= 2, *[name for name, holds in laws.items() if not holds])
PY
for how in plain killed threads forked; do
    for mode in full auto; do
        rm -rf pcomp.data
        pcomp record --mode $mode --sampler off -- bimodal $how >/dev/null 2>&1
        echo "$how $mode: $(pcomp report --view spread --format json 2>/dev/null | python3 check.py "$(date +%s)")"
    done
done
