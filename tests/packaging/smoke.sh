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

# The form of sites that a build has is the form that `pcomp flags` chose: right where the program is measured.
build_with_flags() {
    local compile link
    compile=$(pcomp flags 2>"$work/log") || fail "pcomp flags: $(cat "$work/log")"
    link=$(pcomp flags --link) || fail "pcomp flags --link"
    # shellcheck disable=SC2086
    cc $compile -O2 -g "$source"/docs/examples/logscan/*.c $link -o "$work/logscan-flags"
    measured "$work/logscan-flags" 2000
}

# Of a directory without shared libraries the linker takes libpcomp.a, and needs to be told to.
build_with_static_flags() {
    local compile link
    compile=$(pcomp flags "cc -static" 2>"$work/log") || fail "pcomp flags 'cc -static': $(cat "$work/log")"
    link=$(pcomp flags "cc -static" --link) || fail "pcomp flags 'cc -static' --link"
    # shellcheck disable=SC2086
    cc -static $compile -O2 -g "$source"/docs/examples/logscan/*.c $link -o "$work/logscan-static-flags" 2>"$work/log" ||
        fail "a static link with $link: $(cat "$work/log")"
    measured "$work/logscan-static-flags" 2000
}

build_with_make() {
    cp -r "$source/docs/examples/logscan" "$work/make"
    make -s -C "$work/make" PROFILE=1 2>"$work/log" || fail "make PROFILE=1: $(cat "$work/log")"
    measured "$work/make/logscan" 2000
    make -s -C "$work/make" clean
    make -s -C "$work/make" PROFILE=hooks CPPFLAGS="-I$root/include" LDFLAGS="-L$libdir -Wl,-rpath,$libdir"
    measured "$work/make/logscan" 2000
    make -s -C "$work/make" clean
    ! make -s -C "$work/make" PROFILE=1 CC=no-such-compiler >"$work/log" 2>&1 || fail "make goes on without flags"
    grep -q 'no-such-compiler: not found' "$work/log" || fail "make does not say why: $(cat "$work/log")"
}

build_with_pkg_config() {
    local flags
    flags=$(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config --cflags --libs pcomp)
    # shellcheck disable=SC2086
    cc -O2 -g "$source"/docs/examples/logscan/*.c $flags -Wl,-rpath,"$libdir" -o "$work/logscan-pkg-config"
    measured "$work/logscan-pkg-config" 2000
}

# The packages of sleds give what `pcomp flags` prints, but for the way in which they write the path of the plugin.
sleds_with_pkg_config() {
    local compiler package options
    for compiler in gcc clang; do
        package=pcomp-sleds-$compiler
        [ -e "$libdir/pkgconfig/$package.pc" ] && command -v $compiler >/dev/null || {
            echo "no $package, or no $compiler: left out"
            continue
        }
        options=$(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config --cflags $package | xargs)
        case $options in -fplugin=*) options=-fplugin=$(realpath "${options#-fplugin=}") ;; esac
        [ "$options" = "$(pcomp flags $compiler)" ] ||
            fail "pkg-config --cflags $package is $options, pcomp flags $compiler prints $(pcomp flags $compiler)"
    done
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
    local profile
    for profile in ON hooks; do
        cmake -S "$source/docs/examples/logscan" -B "$work/cmake-$profile" -DPROFILE=$profile \
            -DCMAKE_PREFIX_PATH="$root" >"$work/log" 2>&1 &&
            cmake --build "$work/cmake-$profile" >>"$work/log" 2>&1 || fail "CMake, $profile: $(cat "$work/log")"
        measured "$work/cmake-$profile/logscan" 2000
    done
}

# pcomp_instrument(TARGET HOOKS) of two languages: only this target, and of C++ without the system's headers.
build_languages_with_cmake() {
    local project=$work/languages
    cp -r "$source/tests/packaging/languages" "$project"
    cmake -S "$project" -B "$project/build" -DCMAKE_PREFIX_PATH="$root" >"$work/log" 2>&1 &&
        cmake --build "$project/build" >>"$work/log" 2>&1 || fail "CMake, languages: $(cat "$work/log")"
    "$root/bin/pcomp" record -o "$work/data.languages" -- "$project/build/measured" >"$work/output" ||
        fail "pcomp record of C and C++"
    "$root/bin/pcomp" report "$work/data.languages" --limit 0 --format csv >"$work/report"
    for name in from_c from_cxx from_static; do
        grep -q $name "$work/report" || fail "$name was not measured: $(cat "$work/report")"
    done
    ! grep -q 'not_asked\|std::' "$work/report" || fail "more was measured than asked for: $(cat "$work/report")"
    "$root/bin/pcomp" info "$work/data.languages" >"$work/output"
    if c++ -dM -E -x c /dev/null | grep -q __clang__; then return 0; fi
    grep -q '^left out by the build: functions of files whose name contains .*/usr/include/ ' "$work/output" ||
        fail "pcomp info does not tell what was left out: $(cat "$work/output")"
}

build_with_meson() {
    local profile
    command -v meson >/dev/null || {
        echo "meson is not installed: left out"
        return 0
    }
    for profile in true hooks; do
        PKG_CONFIG_PATH=$libdir/pkgconfig meson setup -Dprofile=$profile "$work/meson-$profile" \
            "$source/docs/examples/logscan" >"$work/log" 2>&1 &&
            meson compile -C "$work/meson-$profile" >>"$work/log" 2>&1 || fail "meson, $profile: $(cat "$work/log")"
        measured "$work/meson-$profile/logscan" 2000
    done
}
