pcomp calibrate --runs 1 --format json | tr ',{' '\n\n' | sed 's/: -\?[0-9].*/: N/; s/: "tsc[^"]*"/: CLOCK/' | grep '"' | sort | uniq -c | sed 's/^ *//'
