#!/bin/bash
# deb_test.sh SOURCE BUILD: the Debian package that CPack makes, unpacked, works.
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$source/tests/packaging/smoke.sh"

cpack --config "$build/CPackConfig.cmake" -G DEB -B "$work/pack" >"$work/log" 2>&1 || fail "cpack: $(cat "$work/log")"
package=$(ls "$work"/pack/*.deb)
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
