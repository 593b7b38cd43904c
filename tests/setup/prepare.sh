# shellcheck shell=bash
# Sourced by ./demo, ./check and .ci/run (bash): Debian packages and quiet builds. The caller's directory is the tree.

# gcc-plugin-dev stands for the headers of the gcc that is installed: real_packages() knows the package's name.
BUILD_PACKAGES="cmake make gcc g++ gcc-plugin-dev libc6-dev pkg-config libdw-dev libjansson-dev libiberty-dev libzstd-dev
    libutf8proc-dev libprotobuf-c-dev protobuf-c-compiler zlib1g-dev libncurses-dev uthash-dev libpapi-dev libunwind-dev
    libcairo2-dev"
TEST_PACKAGES="libcriterion-dev tmux binutils clang libomp-dev mandoc meson ninja-build dpkg-dev file linux-perf less zsh elfutils
    libclang-rt-dev python3 python3-jsonschema mpich libmpich-dev openmpi-bin libopenmpi-dev"
CI_PACKAGES="chromium clang-format clang-tidy python3-yaml cppcheck valgrind golang-go lintian
    gcc-aarch64-linux-gnu g++-aarch64-linux-gnu qemu-user"

if [ -t 1 ]; then
    bold=$(printf '\033[1m') red=$(printf '\033[31m') green=$(printf '\033[32m') plain=$(printf '\033[0m')
else
    bold='' red='' green='' plain=''
fi

headline() { printf '\n%s== %s%s\n' "$bold" "$*" "$plain"; }

die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

cores() { getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1; }

# Microseconds since the epoch, whatever the locale's decimal point.
now() { echo "${EPOCHREALTIME//[!0-9]/}"; }

# seconds MICROSECONDS: as text with two decimals
seconds() { printf '%d.%02d' $(($1 / 1000000)) $(($1 % 1000000 / 10000)); }

# real_packages PACKAGE...: gcc-plugin-dev becomes gcc-12-plugin-dev, or nothing where Debian has none for that gcc (it may
# be somebody's own) or where gcc is not there yet.
real_packages() {
    local package major
    for package in "$@"; do
        if [ "$package" = gcc-plugin-dev ]; then
            major=$(gcc -dumpversion 2>/dev/null) || continue
            package=gcc-${major%%.*}-plugin-dev
            apt-cache show "$package" >/dev/null 2>&1 || continue
        fi
        echo "$package"
    done
}

missing_packages() {
    local package
    # shellcheck disable=SC2046
    for package in $(real_packages "$@"); do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
    done
}

# need_packages PACKAGE...: installs those that are missing, and nothing else
need_packages() {
    install_missing "$@"
    install_missing gcc-plugin-dev # whose name is known once gcc is there
}

install_missing() {
    local missing as_root='' log=build/log/packages
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        echo "This is no Debian: taking it that what the README lists is installed."
        return 0
    fi
    missing=$(missing_packages "$@" | tr '\n' ' ')
    missing=${missing% }
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        as_root=sudo
        if ! command -v sudo >/dev/null || ! { sudo -n true 2>/dev/null || { [ -t 1 ] && sudo -v </dev/tty; }; }; then
            die "packages are missing and only root can install them (run: apt-get install $missing)"
        fi
    fi
    echo "Installing from Debian's packages: $missing"
    mkdir -p build/log
    run_quietly "fetching the list of packages" $log $as_root apt-get -o DPkg::Lock::Timeout=300 update
    run_quietly "installing" $log $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends $missing
}

# run_quietly WHAT LOG COMMAND...: one line for WHAT, the output into LOG; on failure shows its end and exits.
run_quietly() {
    local what=$1 log=$2 start process percent
    shift 2
    mkdir -p "${log%/*}"
    start=$(now)
    printf '%s ... ' "$what"
    "$@" >"$log" 2>&1 </dev/null &
    process=$!
    if [ -t 1 ]; then
        while kill -0 $process 2>/dev/null; do
            percent=$(sed -n 's/^\[ *\([0-9]*%\)\].*/\1/p' "$log" 2>/dev/null | tail -n 1)
            printf '\r%s ... %s' "$what" "$percent"
            sleep 0.3
        done
        printf '\r%s ...     \b\b\b\b' "$what"
    fi
    if wait $process; then
        printf '%sdone%s (%s s)\n' "$green" "$plain" "$(seconds $(($(now) - start)))"
        return 0
    fi
    printf '%sfailed%s\n' "$red" "$plain"
    tail -n 40 "$log"
    die "$what failed (the whole log: $log)"
}

# build_tree DIRECTORY CMAKE-ARGUMENT...
build_tree() {
    local tree=$1
    shift
    run_quietly "configuring $tree" "$tree/log/configure" cmake -S . -B "$tree" "$@"
    run_quietly "building $tree" "$tree/log/build" cmake --build "$tree" -j "$(cores)"
}
