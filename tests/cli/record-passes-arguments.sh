pcomp record -- sample echo one 'two three' -- --limit -o '' 2>/dev/null
pcomp record sample echo --four 2>/dev/null
pcomp record -o data --clock=monotonic sample echo five 2>/dev/null
pcomp info data --format json | tr ',' '\n' | grep -E '"(options|clock)"'
