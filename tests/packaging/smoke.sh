# shellcheck shell=bash
# Sourced by the packaging tests: builds and measures docs/examples/logscan with an installed pcomp, in every way that the
# README tells. The installation is in $root (its $root/bin, ...), its directories found as a user's tools would.
set -eu

fail() {
    echo "FAILED: $*"
    exit 1
}

# measured PROGRAM [WORD...]: runs it under `pcomp record`; the report must know the example's functions.
measured() {
    local data=$work/data.$RANDOM
    "$root/bin/pcomp" record -o "$data" -- "$@" >"$work/output" || fail "pcomp record $*"
    grep -q 'traffic repeats every' "$work/output" || fail "$1 printed something else: $(cat "$work/output")"
    "$root/bin/pcomp" report "$data" --format csv >"$work/report" || fail "pcomp report of $1"
    grep -q edit_distance "$work/report" || fail "the report of $1 does not know edit_distance: $(cat "$work/report")"
}

calibrates() {
    "$root/bin/pcomp" calibrate >"$work/output" || fail "pcomp calibrate: $(cat "$work/output")"
}

build_with_make() {
    cp -r "$source/docs/examples/logscan" "$work/make"
    make -s -C "$work/make" PROFILE=1 CPPFLAGS="-I$root/include" LDFLAGS="-L$libdir -Wl,-rpath,$libdir"
    measured "$work/make/logscan" 2000
}

build_with_pkg_config() {
    local flags
    flags=$(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config --cflags --libs pcomp)
    # shellcheck disable=SC2086
    cc -O2 -g "$source"/docs/examples/logscan/*.c $flags -Wl,-rpath,"$libdir" -o "$work/logscan-pkg-config"
    measured "$work/logscan-pkg-config" 2000
}

build_statically() {
    cc -O2 -g -finstrument-functions "$source"/docs/examples/logscan/*.c "$libdir/libpcomp.a" -o "$work/logscan-static"
    measured "$work/logscan-static" 2000
}

build_preloaded() {
    cc -O2 -g -finstrument-functions "$source"/docs/examples/logscan/*.c -o "$work/logscan-preloaded"
    measured "$work/logscan-preloaded" 2000
}

build_with_cmake() {
    cmake -S "$source/docs/examples/logscan" -B "$work/cmake" -DPROFILE=ON -DCMAKE_PREFIX_PATH="$root" >"$work/log" 2>&1 &&
        cmake --build "$work/cmake" >>"$work/log" 2>&1 || fail "CMake: $(cat "$work/log")"
    measured "$work/cmake/logscan" 2000
}

build_with_meson() {
    command -v meson >/dev/null || {
        echo "meson is not installed: left out"
        return 0
    }
    PKG_CONFIG_PATH=$libdir/pkgconfig meson setup -Dprofile=true "$work/meson" "$source/docs/examples/logscan" >"$work/log" 2>&1 &&
        meson compile -C "$work/meson" >>"$work/log" 2>&1 || fail "meson: $(cat "$work/log")"
    measured "$work/meson/logscan" 2000
}
