#!/bin/bash
# install_test.sh SOURCE BUILD: `cmake --install` puts everything in its place, and programs build and measure with it.
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$source/tests/packaging/smoke.sh"

root=$work/prefix
PATH=$root/bin:$PATH
cmake --install "$build" --prefix "$root" >"$work/log" || fail "cmake --install: $(cat "$work/log")"
libdir=$(dirname "$(find "$root" -name libpcomp.so)")
for file in include/pcomp.h bin/pcomp share/doc/pcomp/LICENSE share/doc/pcomp/README.md; do
    [ -s "$root/$file" ] || fail "$file was not installed"
done
for file in libpcomp.so libpcomp.a libpcomp-nop.so libpcomp-nop.a pkgconfig/pcomp.pc pkgconfig/pcomp-sleds-clang.pc cmake/pcomp/pcompConfig.cmake; do
    [ -s "$libdir/$file" ] || fail "$file was not installed"
done
[ "$(find "$root/include" -type f)" = "$root/include/pcomp.h" ] || fail "more than one header: $(find "$root/include")"
plugin=$(cd "$build" && find . -path '*/pcomp/gcc-*/pcomp_sleds.so' | head -n 1) # where gcc's headers are there
if [ -n "$plugin" ]; then
    installed=$libdir/pcomp/${plugin#*/pcomp/}
    [ -s "$installed" ] || fail "$installed was not installed"
fi
for page in man1/pcomp.1 man3/pcomp.3 man5/pcomp-data.5; do
    [ -s "$root/share/man/$page" ] || fail "the manual page $page was not installed"
done
for command in flags record report compare diff calibrate info export; do
    [ -s "$root/share/man/man1/pcomp-$command.1" ] || fail "pcomp-$command has no manual page"
done
for pc in "$build"/generated/pcomp-*.pc; do # of the MPIs that were found
    case $pc in *'*'* | *-sleds-*) continue ;; esac
    mpi=$(basename "$pc" .pc)
    for file in "lib$mpi.so" "lib$mpi.so.0" "lib$mpi.a" "pkgconfig/$mpi.pc"; do
        [ -s "$libdir/$file" ] || fail "$file was not installed"
    done
    PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config --libs "$mpi" | grep -q -- "-l$mpi.*-lpcomp" ||
        fail "pkg-config --libs $mpi: $(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config --libs "$mpi")"
done
build_with_flags
build_with_static_flags
build_with_make
build_with_pkg_config
sleds_with_pkg_config
build_statically
build_preloaded
build_with_cmake
build_languages_with_cmake
build_with_meson
calibrates
