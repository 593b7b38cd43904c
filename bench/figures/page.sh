# shellcheck shell=bash disable=SC2154
# How soon a browser paints the page of a large profile.

figure "pcomp html of 100,000 and 150,000 call paths"
if ! command -v chromium chromium-browser google-chrome >/dev/null || ! command -v python3 >/dev/null; then
    fact "not measured" "no Chromium, or no python3"
else
    cmake --build "$build" --target big_profile >/dev/null 2>&1 || die "cmake: could not build big_profile (PCOMP_TESTS=ON)"
    for paths in 100000 150000; do
        "$build/tests/reporters/big_profile" "$pcomp" data.$paths $((paths - 1000))
        "$pcomp" html data.$paths -o $paths.html 2>/dev/null
        for _ in $(seq "$repeat"); do
            python3 "$root/bench/programs/page_paint.py" $paths.html
        done >painted.$paths
        at_most "$paths paths: first paint (median of $repeat)" "$(median <painted.$paths)" ms 1000
        at_most "$paths paths: size" "$(stat -c %s $paths.html)" bytes 2000000
    done
fi
