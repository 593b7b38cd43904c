# What is inlined in the uninstrumented program is found there, and the C library's time is that of its caller.
pcomp verify -n 1 --truth sampled --plain spin_plain --instrumented spin --format json --fail-above 1e-9 2>limit |
    tr -d '\n' | sed 's/"warnings".*//' >json
tr '{' '\n' <json | sed -n 's/.*"truth_percent": \([0-9]*\).*"name": "\([a-z]*\)".*/\2 \1/p' | sort |
    awk '{ share[$1] = $2; print $1 } END { print (share["heavy"] > share["light"] && share["light"] > share["main"]) ? "in order" : "not in order" }'
tr ',{' '\n\n' <json | sed -nE 's/^ *"(truth|[a-z_]*points)": .*/\1/p'
sed 's/is .* (/is X (/' limit
PATH=/nonexistent $(command -v pcomp) verify --truth sampled --plain spin_plain --instrumented spin; echo $?
