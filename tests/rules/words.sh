#!/bin/bash
# words.sh SOURCE: names and comments of the product use the words of docs/glossary.md. A word that the glossary has
# replaced is printed with the one to use.
set -u
cd "$1" || exit 2
bad=0

# WORDS INSTEAD: parts of names, as between underscores; strings and comments are not searched.
names='
most|least	max, min (at_most, at_least in sentences)
hot	thread_state, for the state of a thread; fast, for the path without system calls
park|parks|parked|unpark	recording, for the state of a thread; stopped, paused
general	custom (timing), any
meet|meets|met|learn|learns|learnt	register, add
tell|tells|told|announce|announces|announced|heard|news	report, publish, note
settle|settles|settled	resolve (a site), commit (an event), end, plan
flight	unfinished (frame)
dead|gloom|unrest|blur	the property itself
trace_held	trace_suppressed
look_at	read, observe, inspect
held	suppressed (calls), deferred (locations), taken (locks); held_out stays
walk|walks|walker|walking	scan, visit, unwind (stacks)
'
# The same of comments as well.
words='
ghost|ghosts	remote location
crew|crews|duty|duties	workers
twin|twins	the function, event or file that is meant
dearer|dearest	more expensive
spared	saved, avoided
whys	hypotheses
in flight	unfinished (frame); open (message, call)
parked	stopped, paused
heard of|news	reported
met	hit (by samples), registered, found
walk|walks|walker|walking	scan, visit, unwind (stacks)
'

mapfile -d '' -t sources < <(find compensation profiler instrument reporters -name '*.[ch]' -print0 -o -name '*.cc' -print0)

# Code alone: strings are emptied, comments removed, lines kept.
code=$(awk '
    FNR == 1 { inside = 0 }
    {
        line = $0; out = ""
        while (line != "") {
            if (inside) {
                at = index(line, "*/")
                line = at ? substr(line, at + 2) : ""
                inside = !at
            } else if (match(line, /\/\*|\/\/|"(\\.|[^"\\])*"|\x27(\\.|[^\x27\\])+\x27/)) {
                out = out substr(line, 1, RSTART - 1) " "
                found = substr(line, RSTART, 2)
                inside = found == "/*"
                line = found == "//" ? "" : substr(line, RSTART + (inside ? 2 : RLENGTH))
            } else {
                out = out line
                line = ""
            }
        }
        if (out ~ /[a-z]/) print FILENAME ":" FNR ": " out
    }' "${sources[@]}")

# search TABLE TEXT BEFORE BEHIND: the lines of TEXT that have words of the table between BEFORE and BEHIND.
search() {
    local found
    while IFS=$'\t' read -r pattern instead; do
        [ -n "$pattern" ] || continue
        found=$(grep -iE "$3($pattern)$4" <<<"$2" | grep -vE '\bat_(most|least)\b|\bheld_out\b')
        [ -z "$found" ] || {
            printf '%s\n' "$found"
            echo "    instead of $pattern: $instead"
            bad=1
        }
    done <<<"$1"
}
search "$names" "$code" ':[0-9]+: .*(\b|_)' '(\b|_)'
search "$words" "$(grep -niE 'ghost|crew|dut|twin|dearer|dearest|spared|whys|flight|parked|heard|news|met|walk' "${sources[@]}")" \
    '(^|[^a-z])' '([^a-z]|$)'
exit $bad
