# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# Sourced by bench/accuracy: which of the real programs it uses. Each is given its long input.

all_programs="bzip2 lua zlib sqlite3 mujs mawk libgsm lzip"
# Only when named: tcc takes a tenth of a second, and calls through more call paths than a cache holds.
named_programs="tcc"

prepare_accuracy_programs() {
    local name packages=()
    # The five packages of the inputs' text are always there.
    for name in bzip2 lua zlib sqlite3 mujs $chosen_programs; do
        packages+=("$(package_of $name)")
    done
    progress "fetching sources"
    "$here/fetch" "${packages[@]}" >"$results_dir/fetch.txt" || die "bench/fetch: failed"
    make_inputs
}
