#!/bin/bash
# source_shape.sh SOURCE: no file is too long, no two files have one name, nothing is left for later.
set -u
cd "$1" || exit 2
bad=0
parts="compensation profiler instrument reporters tests bench docs cmake"
files=$(find $parts -type f \( -name '*.[ch]' -o -name '*.cc' -o -name '*.sh' -o -name '*.awk' \) 2>/dev/null | sort)

# shellcheck disable=SC2086
awk 'FNR == 501 { print FILENAME ": more than 500 lines: it asks to be split"; long = 1 } END { exit long }' $files || bad=1

# Scripts and the small programs that are measured in tests are no part of anything else: they may share a name.
named=$(printf '%s\n' $files | grep -E '\.(h|c|cc)$' | grep -v '/programs/')
for name in $(printf '%s\n' $named | sed 's@.*/@@' | sort | uniq -d); do
    echo "more than one file is called $name:" $(printf '%s\n' $named | grep "/$name\$")
    bad=1
done

marks='TO''DO|FIX''ME|XX''X'
if grep -nwE "$marks" $files CMakeLists.txt README.md CHANGELOG.md demo check .ci/run; then
    echo "marks of unfinished work (above)"
    bad=1
fi
exit $bad
