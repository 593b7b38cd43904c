# shellcheck shell=bash disable=SC2034,SC2046,SC2086,SC2154
# Sourced by bench/default: the builds, and the binaries of each program in them (site_forms.sh makes them, with -g).

all_builds="gcc-sleds clang-sleds clang-after gcc"
forms_dir=$work/default/builds
form_flags=-g # names of inlined functions; the code is the same

# form_of BUILD: its name in site_forms.sh.
form_of() {
    case $1 in
    gcc) echo gcc-hooks ;;
    *) echo $1 ;;
    esac
}

# goal_group BUILD: whose goals it has.
goal_group() {
    case $1 in
    *-sleds) echo sleds ;;
    *) echo $1 ;;
    esac
}

# binary_of PROGRAM BUILD plain|off|sites: its path. off: sites are no-ops. Sleds are until the library turns them on; hook calls are
# replaced in the file.
binary_of() {
    local form
    form=$(form_of $2)
    case $3-$form in
    plain-*) echo "$forms_dir/$1/${form%%-*}" ;;
    off-*-sleds | sites-*) echo "$forms_dir/$1/$form" ;;
    off-*) echo "$forms_dir/$1/$form-removed" ;;
    esac
}

# prepare_builds: fetches and builds; leaves programs and builds out of the lists that cannot be had, and says why.
prepare_builds() {
    local program build here_programs="" here_builds=""
    mkdir -p "$forms_dir"
    for program in $chosen_programs; do
        progress "fetching $program"
        if "$here/fetch" "$(package_of $program)" >"$results_dir/fetch.txt" 2>&1; then
            here_programs+=" $program"
        else
            leave_out "$program: $(tail -n 1 "$results_dir/fetch.txt")"
        fi
    done
    [ -n "$here_programs" ] || die "none of the chosen programs could be fetched"
    progress "building"
    BENCH_PROGRAMS=$here_programs prepare_forms $(for build in $chosen_builds; do form_of $build; done) >"$results_dir/forms.txt" ||
        die "a program could not be built"
    chosen_programs=${here_programs# }
    for build in $chosen_builds; do
        if [[ " $forms " == *" $(form_of $build) "* ]]; then
            here_builds+=" $build"
            [[ $build == *-sleds ]] || for program in $chosen_programs; do remove_hook_calls $program $(form_of $build); done
        else
            leave_out "$build: $(grep "^ *$(form_of $build) " "$results_dir/forms.txt" | sed 's/.*(not measured: //; s/)$//')"
        fi
    done
    chosen_builds=${here_builds# }
    [ -n "$chosen_builds" ] || die "none of the chosen builds can be made here"
    progress ""
}

leave_out() {
    progress ""
    echo "not measured: $1"
    echo "MISS $1" >>"$results"
}

# progress TEXT: one line that is overwritten, on a terminal.
progress() {
    [ ! -t 2 ] || printf '\r\033[K%s' "$*" >&2
}
