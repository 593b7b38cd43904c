# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# The real programs of the benchmarks: how each is compiled and what it is given to do. Sourced by figures. Bash.
#
# build_program NAME makes $work/programs/NAME/{plain,pg,instr,empty,full}:
#   plain  -O2                           pg     -O2 -pg
#   instr  -O2 -finstrument-functions, linked with no hooks (the C library's empty ones; for preloading)
#   empty  the same objects linked with libpcomp-nop        full   ... with libpcomp
# run_program NAME VARIANT SIZE (long or short) sets the array `command` and the file `input` (standard input).

program_names="fib bzip2 lua zlib sqlite3 mujs"
source_dir=$work/src

# Sources, flags and libraries of NAME, in the array `sources` and the strings `flags` and `libraries`.
describe_program() {
    local dir
    libraries=-lm
    flags="-O2"
    case $1 in
    fib) sources=("$root/bench/programs/fib.c"); flags="$flags -I$root" ;;
    bzip2)
        dir=$source_dir/bzip2/tree
        sources=("$dir"/{blocksort,huffman,crctable,randtable,compress,decompress,bzlib,bzip2}.c)
        flags="$flags -D_FILE_OFFSET_BITS=64"
        ;;
    lua)
        dir=$source_dir/lua5.4/tree/src
        mapfile -t sources < <(find "$dir" -name "*.c" ! -name luac.c | sort)
        flags="$flags -DLUA_USE_POSIX -I$source_dir/lua5.4"
        # Same calls in each run: its hash seed is the time otherwise.
        flags="$flags -Dluai_makeseed(L)=42"
        # Debian's build generates this header.
        echo "#define DEB_HOST_MULTIARCH \"$(cc -print-multiarch)\"" >"$source_dir/lua5.4/lua5.4-deb-multiarch.h"
        ;;
    zlib)
        dir=$source_dir/zlib/tree
        sources=("$dir"/*.c "$dir/test/minigzip.c")
        flags="$flags -I$dir -DHAVE_UNISTD_H -D_LARGEFILE64_SOURCE=1"
        ;;
    sqlite3)
        dir=$source_dir/sqlite3
        sources=("$dir/sqlite3.c" "$dir/tree/test/speedtest1.c")
        flags="$flags -I$dir -DSQLITE_OMIT_LOAD_EXTENSION"
        ;;
    mujs)
        dir=$source_dir/mujs/tree
        sources=("$dir/one.c" "$dir/main.c")
        flags="$flags -I$dir"
        ;;
    *) die "$1: no such program" ;;
    esac
}

# compile_program DIR FLAGS: object files of the described program.
compile_program() {
    mkdir -p "$1"
    printf '%s\n' "${sources[@]}" | (cd "$1" && xargs -P "$(nproc)" -n 1 cc -w $2 $flags -c)
}

build_program() {
    local out=$work/programs/$1 stamp
    describe_program "$1"
    stamp=$(printf '%s\n' "$(cc --version | head -n 1)" "$flags" "${sources[@]}" | cksum)
    if [ "$(cat "$out/stamp" 2>/dev/null)" != "$stamp" ]; then
        rm -rf "$out"
        mkdir -p "$out"
        compile_program "$out/plain.o" ""
        compile_program "$out/pg.o" "-pg"
        compile_program "$out/instr.o" "-finstrument-functions"
        cc "$out"/plain.o/*.o -o "$out/plain" $libraries
        cc -pg "$out"/pg.o/*.o -o "$out/pg" $libraries
        cc "$out"/instr.o/*.o -o "$out/instr" $libraries
        echo "$stamp" >"$out/stamp"
    fi
    cc "$out"/instr.o/*.o -o "$out/empty" -L"$(dirname "$nop")" -lpcomp-nop -Wl,-rpath,"$(dirname "$nop")" $libraries
    cc "$out"/instr.o/*.o -o "$out/full" -L"$(dirname "$lib")" -lpcomp -Wl,-rpath,"$(dirname "$lib")" $libraries
}

prepare_programs() {
    "$root/bench/fetch" >"$work/fetch.txt" || die "bench/fetch: failed"
    for name in $program_names; do
        build_program "$name"
    done
    make_inputs
}

make_inputs() {
    inputs=$work/inputs
    mkdir -p "$inputs"
    # C text of several hands: 7 MB, and a tenth of it.
    head -c 7000000 <(cat "$source_dir"/{lua5.4/tree/src,bzip2/tree,zlib/tree,mujs/tree}/*.c "$source_dir/sqlite3/sqlite3.c") \
        >"$inputs/text.long"
    head -c 700000 "$inputs/text.long" >"$inputs/text.short"
    cat >"$inputs/work.lua" <<'LUA'
local n = tonumber(arg[1])
local function fib(k) if k < 2 then return k end return fib(k - 1) + fib(k - 2) end
local function sorted(count)
    local list, seed = {}, 42
    for i = 1, count do seed = (seed * 1103515245 + 12345) % 2147483648; list[i] = seed end
    table.sort(list, function(a, b) return a < b end)
    return list[1]
end
local function joined(count)
    local parts = {}
    for i = 1, count do parts[#parts + 1] = string.format("%d:%s", i, tostring(i * i)):upper() end
    return #table.concat(parts, ","):gsub("%d+", "#")
end
local total = 0
for round = 1, n do total = total + fib(20) + sorted(6000) + joined(6000) end
print(total)
LUA
    cat >"$inputs/work.js" <<'JS'
function fib(k) { return k < 2 ? k : fib(k - 1) + fib(k - 2); }
function sorted(count) {
    var list = [], seed = 42;
    for (var i = 0; i < count; i++) { seed = (seed * 16807) % 2147483647; list.push(seed); }
    list.sort(function (a, b) { return a - b; });
    return list[0];
}
function matched(count) {
    var hits = 0, pattern = /^(a|b)*c[0-9]+$/;
    for (var i = 0; i < count; i++) if (pattern.test("ababab" + (i % 3 ? "c" : "d") + i)) hits++;
    return hits;
}
var total = 0, rounds = Number(scriptArgs[0]);
for (var round = 0; round < rounds; round++) total += fib(17) + sorted(1500) + matched(1500);
print(total);
JS
}

run_program() {
    local binary=$work/programs/$1/$2
    input=/dev/null
    case $1-$3 in
    fib-long) command=("$binary" 37) ;;
    fib-short) command=("$binary" 33) ;;
    bzip2-*) command=("$binary" -9 -c); input=$inputs/text.$3 ;;
    lua-long) command=("$binary" "$inputs/work.lua" 30) ;;
    lua-short) command=("$binary" "$inputs/work.lua" 3) ;;
    zlib-*) command=("$binary" -9 -c); input=$inputs/text.$3 ;;
    sqlite3-long) command=("$binary" --size 20 --memdb) ;;
    sqlite3-short) command=("$binary" --size 4 --memdb) ;;
    mujs-long) command=("$binary" "$inputs/work.js" 75) ;;
    mujs-short) command=("$binary" "$inputs/work.js" 10) ;;
    esac
}

# time_program FILE LABEL NAME VARIANT SIZE [PREFIX...]: one timed run, PREFIX (a tool and its arguments) before it.
time_program() {
    local file=$1 label=$2 name=$3 variant=$4 size=$5
    shift 5
    run_program "$name" "$variant" "$size"
    rm -rf "$PCOMP_DATA" "$PCOMP_DATA".old
    "$programs/bench_timed_run" "$file" "$label" "$@" "${command[@]}" <"$input" >/dev/null 2>stderr.txt ||
        { tail -n 5 stderr.txt >&2; die "$name $variant: failed"; }
}
