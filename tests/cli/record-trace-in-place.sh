# What an event costs is measured again while the program runs, also before the first segment is full, and kept.
pcomp record --trace -- sample 2>/dev/null
# number OFFSET: a 64-bit number of the header (pcomp-trace(5))
number() { od -An -t u8 -j "$1" -N 8 pcomp.data/*.trace | tr -d ' '; }
[ "$(number 2312)" -ge 2 ] && [ "$(number 2296)" -gt 0 ] && echo "measured at the start and later"
