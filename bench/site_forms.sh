# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# Twelve real programs whose functions have sites in either form, and rounds of runs of them. Sourced by figures, behind
# real_programs.sh. Bash.
#
# A form is a compiler and a kind of site:
#   gcc-hooks    calls of the hooks, before inlining       gcc-sleds, clang-sleds    sleds, behind inlining
# build_form NAME FORM makes $forms_dir/NAME/FORM with the arguments that `pcomp flags` prints, and $work/forms/NAME/gcc or
# clang without. Neither is linked with a library of pcomp's: what measures is preloaded.

site_programs="bzip2 lua zlib sqlite3 mujs mawk libgsm lzip tcc minisat2 cmark duktape"
site_forms=${BENCH_FORMS:-gcc-hooks gcc-sleds clang-sleds}
forms_dir=$work/forms # where programs are built; with form_flags in each compilation
form_flags=""

# flags_of FORM: sets `compiler` and `options`, for the described program. False: this compiler has no such sites.
flags_of() {
    compiler=${1%%-*}
    if [[ ${sources[0]} == *.cc || ${sources[0]} == *.cpp ]]; then
        case $compiler in gcc) compiler=g++ ;; *) compiler=clang++ ;; esac
    fi
    case $1 in
    *-hooks) options=$("$pcomp" flags $compiler --hooks 2>/dev/null) ;;
    *-after) options=-finstrument-functions-after-inlining; [ $compiler != gcc ] && [ $compiler != g++ ] ;;
    *-sleds) options=$("$pcomp" flags $compiler 2>/dev/null) && [[ $options != *-finstrument* ]] ;;
    *) options="" ;;
    esac
}

# build_form NAME FORM: FORM may be the name of a compiler alone. False: this compiler has no such sites.
build_form() {
    local out=$forms_dir/$1/$2 stamp source
    describe_program $1
    flags_of $2 || return 1
    stamp=$(printf '%s\n' "$($compiler --version | head -n 1)" "$options $form_flags $flags" "${sources[@]}" | cksum)
    [ "$(cat "$out.stamp" 2>/dev/null)" != "$stamp" ] || return 0
    rm -rf "$out.objects"
    mkdir -p "$out.objects"
    printf '%s\n' "${sources[@]}" |
        (cd "$out.objects" && xargs -P "$(nproc)" -n 1 $compiler -w -O2 $options $form_flags $flags -c) &&
        $compiler "$out.objects"/*.o -o "$out" $libraries && echo "$stamp" >"$out.stamp"
}

# prepare_forms FORM...: the programs in `chosen_programs`; sets `forms` to those FORMs that the compilers have.
prepare_forms() {
    local form name packages=() known=""
    chosen_programs=${BENCH_PROGRAMS:-$site_programs}
    for name in bzip2 lua zlib sqlite3 mujs $chosen_programs; do
        packages+=("$(package_of $name)")
    done
    "$root/bench/fetch" "${packages[@]}" >"$work/fetch.txt" || die "bench/fetch: failed"
    for form in "$@"; do
        describe_program bzip2
        if ! command -v ${form%%-*} >/dev/null || ! flags_of $form; then
            fact "$form" "-" "(not measured: $(pcomp_reason ${form%%-*}))"
            continue
        fi
        known+=" $form"
        for name in $chosen_programs; do
            build_form $name ${form%%-*} || die "$name: could not be built"
            build_form $name $form || die "$name: $form: could not be built"
        done
    done
    forms=${known# }
    make_inputs
}

pcomp_reason() {
    command -v $1 >/dev/null || { echo "$1 is not installed"; return; }
    "$pcomp" flags $1 2>&1 >/dev/null | head -n 1
}

# --- Runs ---

# run_form FILE LABEL NAME BINARY [NAME=VALUE...]: one timed run of $forms_dir/NAME/BINARY in that environment.
run_form() {
    local file=$1 label=$2 name=$3 binary=$forms_dir/$3/$4
    shift 4
    program_task $name second
    rm -rf "$PCOMP_DATA" "$PCOMP_DATA".old
    "$programs/bench_timed_run" "$file" "$label" env "$@" "$binary" "${arguments[@]}" <"$input" >/dev/null 2>stderr.txt ||
        { tail -n 5 stderr.txt >&2; die "$name $label: failed"; }
}

# ratio_of FILE LABEL BASE: user and system time of LABEL over that of BASE, paired by round: prints
# "median standard_error rounds", the error that of the median, relative.
ratio_of() {
    awk -v label="$2" -v base="$3" '
        $1 == label { a[++n] = $2 + $3 }
        $1 == base { b[++m] = $2 + $3 }
        END {
            if (m < n) n = m
            for (i = 1; i <= n; i++) { v[i] = a[i] / b[i]; sum += v[i] }
            if (!n) exit
            mean = sum / n
            for (i = 1; i <= n; i++) squares += (v[i] - mean) ^ 2
            for (i = 2; i <= n; i++) { # sorted by insertion
                x = v[i]
                for (k = i - 1; k > 0 && v[k] > x; k--) v[k + 1] = v[k]
                v[k + 1] = x
            }
            median = n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
            printf "%.4f %.4f %d\n", median, (n > 1 ? 1.2533 * sqrt(squares / (n - 1) / n) / median : 1), n
        }' "$1"
}

# rounds FILE BASE LEAST MOST FUNCTION LABEL...: calls FUNCTION, which runs each label once, until the ratio of every LABEL to
# BASE has a standard error below 1 %, at least LEAST and at most MOST times.
rounds() {
    local file=$1 base=$2 least=$3 most=$4 run=$5 round label error open=yes
    shift 5
    for ((round = 1; round <= most; round++)); do
        [ $round -le $least ] || [ $open = yes ] || break
        $run
        open=no
        for label in "$@"; do
            read -r _ error _ <<<"$(ratio_of "$file" $label $base)"
            awk -v e="$error" 'BEGIN { exit !(e >= 0.01) }' && open=yes
        done
    done
    return 0
}

# site_rounds FORM: sets `rounds_dir`, where NAME.runs has the rounds of each program, and NAME.calls its calls. Labels:
#   plain     without sites           off      --skip '*'
#   removed   hook calls alone: the calls are no-ops in the file, nothing is preloaded
#   counts    --counts exact
# Figures of one bench/run share what was measured.
site_rounds() {
    rounds_dir=$work/run/site_rounds.$1
    [ "$(cat "$rounds_dir/run" 2>/dev/null)" != $$ ] || return 0
    rm -rf "$rounds_dir"
    mkdir -p "$rounds_dir"
    local name form=$1 compared="off counts"
    [[ $form != *-hooks ]] || compared+=" removed"
    for name in $chosen_programs; do
        [[ $form != *-hooks ]] || remove_hook_calls $name $form
        rounds "$rounds_dir/$name.runs" plain 3 ${BENCH_ROUNDS:-12} site_round $compared
    done
    echo $$ >"$rounds_dir/run"
}

# One round of $name in $form.
site_round() {
    local file=$rounds_dir/$name.runs
    run_form "$file" plain $name ${form%%-*} PCOMP_RUN=
    run_form "$file" off $name $form LD_PRELOAD="$lib" PCOMP_OPTIONS="--skip '*'"
    [[ $form != *-hooks ]] || run_form "$file" removed $name $form-removed PCOMP_RUN=
    run_form "$file" counts $name $form LD_PRELOAD="$lib" PCOMP_OPTIONS="--counts exact"
    [ -e "$rounds_dir/$name.calls" ] || calls_of "$PCOMP_DATA" >"$rounds_dir/$name.calls"
}

# remove_hook_calls NAME FORM: makes $forms_dir/NAME/FORM-removed, the same file with no-ops for hook calls.
remove_hook_calls() {
    local out=$forms_dir/$1/$2
    cp "$out" "$out-removed"
    objdump -dw "$out" | awk '/(call|jmp) +[0-9a-f]+ <__cyg_profile_func_(enter|exit)@plt>/ {
        sub(":", "", $1); print $1, / jmp / ? "jmp" : "call" }' |
        "$programs/bench_remove_calls" "$out-removed" >"$out.removed" || die "$1: its hook calls could not be removed"
}

# table_of FORM LABEL BASE: for each program a line "NAME ratio standard_error rounds" to the file LABEL.BASE, and as facts.
table_of() {
    local name ratio error count
    : >"$2.$3"
    for name in $chosen_programs; do
        read -r ratio error count <<<"$(ratio_of "$rounds_dir/$name.runs" $2 $3)"
        echo "$name $ratio $error $count" >>"$2.$3"
        fact "$1: $name, $2 / $3" "$ratio" "(standard error $(calc "$error * 100" 1) %, $count rounds)"
    done
}

# middle_and_worst FILE COLUMN: median and greatest of a column.
middle_and_worst() {
    echo "$(awk -v c=$2 '{ print $c }' "$1" | median)" "$(awk -v c=$2 '{ print $c }' "$1" | sort -g | tail -n 1)"
}

# --- Calls ---

# calls_of DIR: calls of all functions in a data directory.
calls_of() {
    "$pcomp" report "$1" --view flat --limit 0 --format json >calls.json
    "$programs/bench_report_value" calls calls.json | awk '$2 !~ /^\[/ { sum += $1 } END { printf "%.0f\n", sum }'
}

# compare_calls BINARY TRUTH REPORTED DIFFERENCES: calls of each function as counted (lines "HEXADDRESS COUNT") beside those of
# the report. Prints "differing functions calls". Functions of one name (static ones of several files; aliases of one address) are
# compared as one; for each, ./compared.lines gets a line "COUNT REPORTED UNCERTAINTY NAME".
compare_calls() {
    nm -C "$1" | awk '$2 ~ /^[tTwWiIuV]$/ { sub(/^0+/, "", $1); $2 = ""; print }' >symbols
    cp "$2" truth.lines
    "$programs/bench_report_value" estimates "$3" | awk '{ $3 = $4 = ""; print }' >reported.lines
    : >compared.lines
    awk -v out="$4" '
        { name = $0; sub(/^[^ ]+ +/, "", name); gsub(/ \[clone [^]]*\]/, "", name) }
        FILENAME == "symbols" { if (!($1 in first)) first[$1] = name; else if (!(name in group)) group[name] = first[$1]; next }
        FILENAME == "truth.lines" {
            address = tolower($1)
            if (!(address in first)) { print "no symbol at " address >out; wrong++; next }
            name = first[address]; if (name in group) name = group[name]
            truth[name] += $2; calls += $2; functions++
            next
        }
        {
            sub(/^[^ ]+ +/, "", name)
            if (name in group) name = group[name]
            if (name !~ /^\[/) { reported[name] += $1; uncertain[name] += $2 }
        }
        END {
            for (name in truth) printf "%.0f %.0f %.0f %s\n", truth[name], reported[name], uncertain[name], name >"compared.lines"
            for (name in reported) if (!(name in truth) && reported[name])
                printf "0 %.0f %.0f %s\n", reported[name], uncertain[name], name >"compared.lines"
            for (name in truth) if (truth[name] != reported[name]) {
                printf "%s: %d calls, reported %d\n", name, truth[name], reported[name] >out; wrong++ }
            for (name in reported) if (!(name in truth) && reported[name]) {
                printf "%s: never called, reported %d\n", name, reported[name] >out; wrong++ }
            printf "%d %d %.0f\n", wrong, functions, calls
        }' symbols truth.lines reported.lines
}

# --- Programs of ours ---

# build_own NAME FORM [ARGUMENT...]: makes ./NAME.FORM of bench/programs/NAME.c; FORM as in build_form.
build_own() {
    local name=$1 form=$2
    shift 2
    sources=("$root/bench/programs/$name.c")
    flags_of $form && $compiler -w -O2 -I"$root" $options "$root/bench/programs/$name.c" -o "$name.$form" "$@"
}
