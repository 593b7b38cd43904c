# What a compiler is, it is asked. Hook calls of gcc: whether it can leave sleds depends on the plugin (flags_plugin.sh).
pcomp flags --hooks "$(command -v gcc)"
pcomp flags gcc --hooks
pcomp flags "env -u PCOMP_DATA gcc -m64 -flto -Wall -Werror -DTEXT='a b'" --hooks
printf '#!/bin/sh\nexec gcc "$@"\n' >clang++ # a link to ccache would be what its name says
chmod +x clang++
pcomp flags ./clang++ --hooks
mkdir "a b"
printf '#!/bin/sh\nexec gcc "$@"\n' >"a b/cc"
chmod +x "a b/cc"
pcomp flags "a b/cc" --hooks
pcomp flags "'a b/cc' -m64" --hooks

# Relative paths among the arguments are seen from here.
mkdir tools
printf '#!/bin/sh\necho used >>"%s/used"\nexec as "$@"\n' "$PWD" >tools/as
chmod +x tools/as
pcomp flags "gcc -B./tools" --hooks && sort -u used

# C++ by gcc: without the system's headers; what contains another text is not repeated.
pcomp flags g++ --hooks | tr '=,' '\n\n' | grep -v -e /gcc/ -e /local/
pcomp flags "gcc -x c++" --hooks | tr '=,' '\n\n' | grep -v -e /gcc/ -e /local/
mkdir -p mine/include usr/include/project
pcomp flags "g++ -I$PWD/mine/include -isystem $PWD/mine" --hooks | grep -c mine
(cd usr/include/project && pcomp flags g++ --hooks | tr '=,' '\n\n' | sed 's/[0-9][0-9]*/N/' | grep -v -e /gcc/ -e /local/)

# One option has an older and a newer spelling.
pcomp flags clang | sed s/-fno-xray/-fnoxray/
pcomp flags clang++ | sed s/-fno-xray/-fnoxray/
pcomp flags "clang++ -Werror" --hooks
pcomp flags "clang -m32"
# Nothing is left behind.
ls
ls "$TMPDIR" | grep -v -x -e run -e out -e err -e status || true
