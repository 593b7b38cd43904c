# A root file system that cannot be written: the command says so; with a place that can be, all is measured.
. "$(dirname "$case")/stock_settings.sh"
export here="$PWD"
in_namespace 'mount --bind "$here" "$here" && mount -o remount,bind,ro "$here" && cd "$here" || exit 1
    pcomp record -- sample echo text 2>&1
    LD_PRELOAD=$(dirname "$(command -v pcomp)")/../lib/libpcomp.so sample echo text 2>&1
    mount -t tmpfs tmpfs "$here" && cd "$here" && pcomp record -- sample 2>/dev/null && pcomp report --format csv 2>/dev/null |
        cut -d, -f1 | grep -v "^\[" | sort' | sed "s|$here|HERE|"
