#!/bin/bash
# tarball_test.sh SOURCE BUILD: the release that CPack makes of the tree holds all of it, and builds where there is no git.
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$source/tests/packaging/smoke.sh"

cpack --config "$build/CPackSourceConfig.cmake" -G TGZ -B "$work/pack" >"$work/log" 2>&1 || fail "cpack: $(cat "$work/log")"
mkdir "$work/tree" "$work/bin"
tar -xzf "$work"/pack/pcomp-*.tar.gz -C "$work/tree" --strip-components 1
find "$work/tree" -name '*.o' -o -name CMakeCache.txt -o -name '.git' | grep . && fail "the release holds what is no source"
if [ -e "$source/.git" ] && command -v git >/dev/null; then
    git -C "$source" ls-files -c -o --exclude-standard | while read -r file; do
        [ -e "$work/tree/$file" ] || [ ! -e "$source/$file" ] || echo "$file"
    done | grep . && fail "the release lacks these files"
fi
printf '#!/bin/sh\necho "git was run" >&2\nexit 1\n' >"$work/bin/git"
chmod +x "$work/bin/git"
PATH=$work/bin:$PATH
cmake -S "$work/tree" -B "$work/built" >"$work/log" 2>&1 &&
    cmake --build "$work/built" -j 2 --target pcomp_nop pcomp_compensation >>"$work/log" 2>&1 || fail "$(tail -n 20 "$work/log")"
! grep -q 'git was run' "$work/log" || fail "the build asks git"
