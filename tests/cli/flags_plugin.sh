#!/bin/sh
# flags_plugin.sh LIBRARY: `pcomp flags gcc` prints the plugin where it is there and leaves sleds, else hook calls and why.
# In a copy of the installation, so that it does not matter whether there is a plugin beside LIBRARY. PATH has pcomp first.
set -u
library=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
export LC_ALL=C.UTF-8 TMPDIR="$work"
bad=0

fail() {
    echo "$*" >&2
    bad=1
}

major=$(gcc -dumpversion | cut -d. -f1)
headers=$(gcc -print-file-name=plugin)/include
command -v g++ >/dev/null && [ -e "$headers/gcc-plugin.h" ] || {
    echo "SKIPPED: the headers for plugins are not installed (apt-get install gcc-$major-plugin-dev)"
    exit 77
}
pcomp=$(realpath "$(command -v pcomp)")
to_lib=$(realpath --relative-to="$(dirname "$pcomp")" "$(dirname "$library")")
mkdir -p "$work/usr/bin"
libdir=$(realpath -m "$work/usr/bin/$to_lib")
mkdir -p "$libdir/pcomp/gcc-$major"
cp "$pcomp" "$work/usr/bin/pcomp"
cp -P "$(dirname "$library")"/libpcomp.so* "$(dirname "$library")/libpcomp.a" "$libdir"
pcomp=$work/usr/bin/pcomp
plugin=$libdir/pcomp/gcc-$major/pcomp_sleds.so

# flags ARGUMENT...: what it prints is in $line, its messages in $messages; they must be a line each, or none.
flags() {
    line=$("$pcomp" flags "$@" 2>"$work/messages") || fail "pcomp flags $*: $(cat "$work/messages")"
    messages=$(cat "$work/messages")
    [ "$(printf '%s\n' "$line" "$messages" | wc -l)" = 2 ] || fail "pcomp flags $*: more than a line: $line $messages"
}

# make_plugin BODY: a plugin whose work at the end of a unit is BODY.
make_plugin() {
    cat >"$work/plugin.cc" <<END
#include "gcc-plugin.h"
#include "output.h"
#include "plugin-version.h"
int plugin_is_GPL_compatible;
static void end(void *, void *) { $1 }
int plugin_init(struct plugin_name_args *info, struct plugin_gcc_version *version)
{
    if (!plugin_default_version_check(version, &gcc_version))
        return 1;
    register_callback(info->base_name, PLUGIN_FINISH_UNIT, end, nullptr);
    return 0;
}
END
    g++ -shared -fPIC -fno-rtti -w -I"$headers" "$work/plugin.cc" -o "$plugin" || fail "the plugin does not compile"
}

flags gcc
case $line:$messages in
-finstrument-functions:*"hook calls instead of sleds: pcomp/gcc-$major/pcomp_sleds.so"*) ;;
*) fail "without a plugin: $line: $messages" ;;
esac
flags gcc --link
[ -z "$messages" ] || fail "--link repeats what the call for the compiler said: $messages"

echo garbage >"$plugin"
flags gcc
case $line:$messages in
-finstrument-functions:*"$plugin does not work in it: "*) ;;
*) fail "with garbage for a plugin: $line: $messages" ;;
esac

make_plugin ''
flags gcc
case $line:$messages in
-finstrument-functions:*"leaves no sleds"*) ;;
*) fail "with a plugin that does nothing: $line: $messages" ;;
esac

make_plugin 'fprintf(asm_out_file, "\t.section xray_instr_map,\"a\",@progbits\n\t.zero 64\n\t.text\n");'
for cc in gcc g++ "gcc -flto -O2"; do
    flags "$cc"
    [ "$line:$messages" = "-fplugin=$plugin:" ] || fail "$cc: $line: $messages"
done
flags gcc --link
case $line in "-fplugin=$plugin "*-lpcomp*) ;; *) fail "the link with -flto lacks the plugin: $line" ;; esac
flags gcc --hooks
[ "$line:$messages" = "-finstrument-functions:" ] || fail "--hooks: $line: $messages"
flags gcc --hooks --link
case $line in *plugin*) fail "--hooks --link has the plugin: $line" ;; esac
flags "gcc -static" --link
case $line in "-fplugin=$plugin -Wl,-u,pcomp_sleds_anchor "*) ;; *) fail "static: $line" ;; esac
if command -v clang >/dev/null; then
    flags clang
    case $line in -fxray*) ;; *) fail "clang with gcc's plugin: $line" ;; esac
fi

# A path that is two words in $(...)
mkdir "$work/with blank"
cp -r "$work/usr" "$work/with blank"
"$work/with blank/usr/bin/pcomp" flags gcc >"$work/out" 2>"$work/messages"
[ "$?:$(cat "$work/out")" = 1: ] && grep -q 'contains white space' "$work/messages" || fail "a blank in the path is passed on"
exit $bad
