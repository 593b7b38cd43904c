#!/bin/bash
# deb_test.sh SOURCE BUILD: the Debian package that CPack makes, unpacked, works.
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$source/tests/packaging/smoke.sh"

cpack --config "$build/CPackConfig.cmake" -G DEB -B "$work/pack" >"$work/log" 2>&1 || fail "cpack: $(cat "$work/log")"
package=$(ls "$work"/pack/*.deb)
# Installed under a root of its own and purged, it leaves nothing.
if [ "$(id -u)" = 0 ]; then
    fresh=$work/fresh
    mkdir -p "$fresh/etc" "$fresh/var/cache/ldconfig" "$fresh/var/lib/dpkg/info" "$fresh/var/lib/dpkg/updates" "$fresh/var/lib/dpkg/triggers"
    for file in /bin/sh /sbin/ldconfig $(ldd /bin/sh | grep -o '/[^ ]*'); do # what runs its scripts
        mkdir -p "$fresh$(dirname "$file")"
        cp -L "$file" "$fresh$file"
        echo "$fresh$file" >>"$work/given"
    done
    : >"$fresh/var/lib/dpkg/status"
    : >"$fresh/var/lib/dpkg/available"
    dpkg --root="$fresh" --force-depends --install "$package" >"$work/log" 2>&1 || fail "dpkg --install: $(cat "$work/log")"
    [ -x "$fresh/usr/bin/pcomp" ] || fail "dpkg installs no pcomp"
    dpkg --root="$fresh" --purge pcomp >"$work/log" 2>&1 || fail "dpkg --purge: $(cat "$work/log")"
    left=$(find "$fresh" -path "$fresh/var" -prune -o ! -type d -print | grep -vxF -f "$work/given" | grep -v '/etc/ld[.]so[.]cache' || true)
    [ -z "$left" ] || fail "left behind: $left"
fi
if command -v lintian >/dev/null; then
    lintian --allow-root --fail-on error --display-level '>=error' "$package" >"$work/log" 2>&1 || fail "lintian: $(cat "$work/log")"
else
    echo "lintian is not installed: left out"
fi
dpkg-deb -I "$package" | grep -q 'triggers' || fail "the package does not trigger ldconfig"

dpkg-deb -x "$package" "$work/unpacked"
root=$work/unpacked/usr
PATH=$root/bin:$PATH
libdir=$(dirname "$(find "$root" -name libpcomp.so)")
depends=$(dpkg-deb -f "$package" Depends)
for library in libc6 libdw1; do
    case $depends in *$library*) ;; *) fail "the package does not depend on $library but on: $depends" ;; esac
done
for library in papi unwind; do
    case $depends in *$library*) fail "the package depends on $library, which is loaded on request only" ;; esac
done
build_with_flags
build_with_pkg_config
build_preloaded
build_with_cmake
calibrates
