# Two plug-ins that lay at one place one after the other have their own calls, wherever a trace is read.
plugins=$(dirname "$(command -v plugin_turns)")
pcomp record -q --trace -o traced -- plugin_turns "$plugins"/turn_alpha.so "$plugins"/turn_omega.so "$plugins"/turn_alpha.so
calls() { pcomp report "$1" --format csv 2>/dev/null | columns name calls | sort; }
calls traced
for model in time event; do
    pcomp replay traced -o $model --model $model >/dev/null && calls $model
done
pcomp export traced --format chrome -o events.json 2>/dev/null
grep -o '"name": *"turn_[a-z]*"' events.json | sort | uniq -c
# the replayed times are not those at which modules went
pcomp export event --format chrome -o events.json 2>/dev/null
grep -o '"name": *"turn_[a-z]*"' events.json | sort | uniq -c
