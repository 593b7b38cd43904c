# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# The real programs of the benchmarks: how each is compiled and what it is given to do. Sourced by figures. Bash.
#
# build_program NAME makes $work/programs/NAME/{plain,pg,instr,empty,full}:
#   plain  -O2                           pg     -O2 -pg
#   instr  -O2 -finstrument-functions, linked with no hooks (the C library's empty ones; for preloading)
#   empty  the same objects linked with libpcomp-nop        full   ... with libpcomp
# run_program NAME VARIANT SIZE (short, long, second: about one, seconds: two and more, tens: of seconds) sets the array `command` and the file `input` (standard input).

program_names="fib bzip2 lua zlib sqlite3 mujs"
source_dir=$work/src

# Debian source package of NAME.
package_of() {
    case $1 in
    lua) echo lua5.4 ;;
    xz) echo xz-utils ;;
    zstd) echo libzstd ;;
    *) echo "$1" ;;
    esac
}

# What NAME is compiled of, in the array `sources` and the strings `flags` (without the level of optimisation) and
# `libraries`.
describe_program() {
    local tree
    tree=$source_dir/$(package_of "$1")/tree
    libraries=-lm
    flags=""
    case $1 in
    fib) sources=("$root/bench/programs/fib.c"); flags="-I$root" ;;
    bzip2)
        sources=("$tree"/{blocksort,huffman,crctable,randtable,compress,decompress,bzlib,bzip2}.c)
        flags="-D_FILE_OFFSET_BITS=64"
        ;;
    lua)
        mapfile -t sources < <(find "$tree/src" -name "*.c" ! -name luac.c | sort)
        flags="-DLUA_USE_POSIX -I$source_dir/lua5.4"
        # Same calls in each run: its hash seed is the time otherwise.
        flags="$flags -Dluai_makeseed(L)=42"
        # Debian's build generates this header.
        echo "#define DEB_HOST_MULTIARCH \"$(cc -print-multiarch)\"" >"$source_dir/lua5.4/lua5.4-deb-multiarch.h"
        ;;
    zlib)
        sources=("$tree"/*.c "$tree/test/minigzip.c")
        flags="-I$tree -DHAVE_UNISTD_H -D_LARGEFILE64_SOURCE=1"
        ;;
    sqlite3)
        sources=("$source_dir/sqlite3/sqlite3.c" "$tree/test/speedtest1.c")
        flags="-I$source_dir/sqlite3 -DSQLITE_OMIT_LOAD_EXTENSION"
        ;;
    mujs)
        sources=("$tree/one.c" "$tree/main.c")
        flags="-I$tree"
        ;;
    mawk)
        sources=("$tree"/{array,bi_funct,bi_vars,cast,code,da,error,execute,fcall,field,files,fin,hash,init,jmp,kw,main}.c
            "$tree"/{matherr,memory,parse,print,re_cmpl,regexp,scan,split,version,zmalloc}.c
            "$source_dir/mawk/make/scancode.c")
        flags="-DHAVE_CONFIG_H -I$source_dir/mawk/make -I$tree"
        ;;
    libgsm) # toast, the speech coder
        sources=("$tree"/src/{add,code,debug,decode,long_term,lpc,preprocess,rpe,short_term,table}.c
            "$tree"/src/{gsm_{create,decode,destroy,encode,explode,implode,option,print},toast{,_alaw,_audio,_lin,_ulaw}}.c)
        flags="-DSASR -DNeedFunctionPrototypes=1 -I$tree/inc"
        ;;
    lzip) # C++
        sources=("$tree"/*.cc)
        flags=-DPROGVERSION=__FILE__ # any text
        libraries=-lstdc++
        ;;
    tcc)
        sources=("$tree/tcc.c")
        flags="-DONE_SOURCE=1 -DTCC_TARGET_X86_64 -I$source_dir/tcc/make -I$tree"
        libraries="-lm -ldl -lpthread"
        ;;
    minisat2) # C++ with templates; a driver of ours makes the formulas
        sources=("$tree"/minisat/{core/Solver,utils/Options,utils/System}.cc "$root/bench/programs/solve_formulas.cc")
        flags="-I$tree -D__STDC_LIMIT_MACROS -D__STDC_FORMAT_MACROS -Wno-reserved-user-defined-literal"
        libraries="-lstdc++ -lm"
        ;;
    cmark)
        sources=("$tree"/src/{blocks,buffer,cmark,cmark_ctype,commonmark,houdini_{href_e,html_e,html_u},html,inlines}.c
            "$tree"/src/{iterator,latex,main,man,node,references,render,scanners,utf8,xml}.c)
        flags="-DCMARK_STATIC_DEFINE -I$source_dir/cmark/make -I$tree/src"
        # Its cmake generates these headers.
        mkdir -p "$source_dir/cmark/make"
        cat >"$source_dir/cmark/make/config.h" <<'HEADER'
#include <stdbool.h>
#define HAVE___BUILTIN_EXPECT
#define HAVE___ATTRIBUTE__
#define CMARK_ATTRIBUTE(list) __attribute__(list)
#define CMARK_INLINE inline
HEADER
        echo "#define CMARK_EXPORT" >"$source_dir/cmark/make/cmark_export.h"
        printf '#define CMARK_VERSION 0\n#define CMARK_VERSION_STRING "0"\n' >"$source_dir/cmark/make/cmark_version.h"
        ;;
    duktape)
        sources=("$tree/src/duktape.c" "$tree/examples/cmdline/duk_cmdline.c" "$tree/extras/print-alert/duk_print_alert.c")
        flags="-DDUK_CMDLINE_PRINTALERT_SUPPORT -I$tree/src -I$tree/examples/cmdline -I$tree/extras/print-alert"
        ;;
    tinyscheme)
        # Its interpreter's cells lie in main's frame, and it reads some that it never set.
        mkdir -p "$source_dir/tinyscheme/make"
        sed 's/^  scheme sc;/  static scheme sc;/' "$tree/scheme.c" >"$source_dir/tinyscheme/make/scheme.c"
        sources=("$source_dir/tinyscheme/make/scheme.c")
        flags="-I$tree -DSTANDALONE=1 -DUSE_DL=0 -DUSE_MATH=1 -DUSE_ASCII_NAMES=0 -DInitFile=\"$tree/init.scm\""
        ;;
    yajl) # json_reformat
        sources=("$tree"/src/yajl{,_alloc,_buf,_encode,_gen,_lex,_parser,_tree,_version}.c "$tree/reformatter/json_reformat.c")
        flags="-I$source_dir/yajl/make"
        # Its cmake makes this folder.
        mkdir -p "$source_dir/yajl/make/yajl"
        cp "$tree"/src/api/*.h "$source_dir/yajl/make/yajl/"
        sed 's/\${[A-Z_]*}/0/' "$tree/src/api/yajl_version.h.cmake" >"$source_dir/yajl/make/yajl/yajl_version.h"
        ;;
    qhull)
        sources=("$tree"/src/libqhull_r/{geom,geom2,global,io,libqhull,mem,merge,poly,poly2,qset,random,rboxlib,stat,user}_r.c
            "$tree"/src/libqhull_r/{usermem,userprintf,userprintf_rbox}_r.c "$tree/src/qhull/unix_r.c")
        flags="-I$tree/src"
        ;;
    yaml-cpp) # C++ with templates: parses and prints
        sources=("$tree"/src/*.cpp "$source_dir/yaml-cpp/main.cpp")
        ln -sf tree/util/parse.cpp "$source_dir/yaml-cpp/main.cpp" # another file there has that name
        flags="-std=c++11 -DYAML_CPP_STATIC_DEFINE -I$tree/include"
        libraries=-lstdc++
        ;;
    picosat)
        # Its configure makes a header; its exit status is the answer.
        mkdir -p "$source_dir/picosat/make"
        sed 's/return picosat_main/return !picosat_main/' "$tree/main.c" >"$source_dir/picosat/make/main.c"
        sources=("$tree"/{app,picosat,version}.c "$source_dir/picosat/make/main.c")
        flags="-DNDEBUG -I$source_dir/picosat/make -I$tree"
        printf '#define PICOSAT_%s "0"\n' CC CFLAGS VERSION >"$source_dir/picosat/make/config.h"
        ;;
    zopfli) sources=("$tree"/src/zopfli/*.c) ;;
    potrace) # traces a bitmap
        sources=("$tree"/src/{backend_{dxf,eps,geojson,pdf,pgm,svg,xfig},bbox,bitmap_io,curve,decompose,flate,greymap}.c
            "$tree"/src/{lzw,main,potracelib,progress_bar,render,trace,trans}.c)
        flags="-DVERSION=\"0\" -DPOTRACE=\"potrace\" -DHAVE_INTTYPES_H -DHAVE_STDINT_H -I$tree/src"
        ;;
    box2d) # C++: solid bodies; a driver of ours drops them
        mapfile -t sources < <(find "$tree/src" -name "*.cpp" | sort)
        sources+=("$root/bench/programs/stack_boxes.cpp")
        flags="-I$tree/include -I$tree/src"
        libraries="-lstdc++ -lm"
        ;;
    zstd)
        sources=("$tree"/lib/{common,compress,decompress,dictBuilder}/*.c "$tree"/programs/*.c)
        flags="-DXXH_NAMESPACE=ZSTD_ -DZSTD_DISABLE_ASM -DBACKTRACE_ENABLE=0 -I$tree/lib -I$tree/lib/common -I$tree/programs"
        ;;
    nasm)
        mapfile -t sources < <(ls "$tree"/{stdlib,nasmlib,common,x86,asm,macros,output,disasm}/*.c |
            grep -v -e errfile -e ndisasm)
        flags="-DHAVE_CONFIG_H -I$source_dir/nasm/make -I$source_dir/nasm/make/config"
        flags="$flags $(printf -- "-I$tree/%s " . include x86 asm disasm output)"
        ;;
    cadical) # C++; its exit status is the answer
        mkdir -p "$source_dir/cadical/make"
        sed 's/int res = app.main/int res = !app.main/' "$tree/src/cadical.cpp" \
            >"$source_dir/cadical/make/cadical.cpp"
        mapfile -t sources < <(ls "$source_dir/cadical/make/cadical.cpp" "$tree"/src/*.cpp |
            grep -v -e mobical -e ipasir -e tree/src/cadical.cpp)
        flags="-DNBUILD -DNDEBUG -I$tree/src"
        libraries=-lstdc++
        ;;
    xz) # compresses in two threads; its functions are hot enough to be sampled
        mapfile -t sources < <(ls "$tree"/src/liblzma/{common,check,lz,rangecoder,lzma,delta,simple}/*.c "$tree"/src/xz/*.c \
            "$tree"/src/common/tuklib_{physmem,cpucores,exit,mbstr_fw,mbstr_width,open_stdxxx,progname}.c |
            grep -v -e tablegen -e '_small[.]c')
        flags="-DHAVE_CONFIG_H -DTUKLIB_SYMBOL_PREFIX=lzma_ -pthread -I$source_dir/xz-utils/make -I$tree/src/common -I$tree/src/xz"
        flags="$flags $(printf -- "-I$tree/src/liblzma/%s " api common check lz rangecoder lzma delta simple)"
        libraries=-lpthread
        ;;
    *) die "$1: no such program" ;;
    esac
}

# compile_program DIR FLAGS: object files of the described program.
compile_program() {
    mkdir -p "$1"
    printf '%s\n' "${sources[@]}" | (cd "$1" && xargs -P "$(nproc)" -n 1 cc -w -O2 $2 $flags -c)
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
    # C text of several hands: 7 MB, a fifth and a tenth of it.
    head -c 7000000 <(cat "$source_dir"/{lua5.4/tree/src,bzip2/tree,zlib/tree,mujs/tree}/*.c "$source_dir/sqlite3/sqlite3.c") \
        >"$inputs/text.long"
    head -c 1400000 "$inputs/text.long" >"$inputs/text.medium"
    head -c 700000 "$inputs/text.long" >"$inputs/text.short"
    head -c 5000000 "$inputs/text.long" >"$inputs/text.most"
    cat "$inputs/text.long" "$inputs/text.long" "$inputs/text.long" "$inputs/text.long" >"$inputs/text.seconds"
    cat "$inputs/text.long" "$inputs/text.long" >"$inputs/text.second"
    cat "$inputs/text.medium" "$inputs/text.medium" >"$inputs/text.slow" # of programs that take long for it
    cat "$inputs/text.second" "$inputs/text.second" >"$inputs/sound.second"
    cat "$inputs/text.seconds" "$inputs/text.seconds" "$inputs/text.seconds" >"$inputs/text.tens"
    cat "$inputs/text.seconds" "$inputs/text.seconds" >"$inputs/sound.seconds"
    cat "$inputs/text.long" "$inputs/text.medium" >"$inputs/sound" # any bytes are samples
    [ ! -d "$source_dir/cmark" ] || for _ in {1..200}; do cat "$source_dir/cmark/tree/test/spec.txt"; done >"$inputs/text.md"
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
    cat >"$inputs/objects.js" <<'JS'
function Node(key) { this.key = key; this.left = this.right = null; }
function insert(node, key) {
    if (!node) return new Node(key);
    if (key < node.key) node.left = insert(node.left, key); else node.right = insert(node.right, key);
    return node;
}
function sum(node) { return node ? sum(node.left) + node.key % 7 + sum(node.right) : 0; }
var total = 0, seed = 42;
for (var round = 0; round < 24; round++) {
    var tree = null, words = {}, text = [];
    for (var i = 0; i < 6000; i++) {
        seed = (seed * 16807) % 2147483647;
        tree = insert(tree, seed);
        words['w' + seed % 997] = (words['w' + seed % 997] || 0) + 1;
        text.push(seed.toString(36));
    }
    total += sum(tree) + Object.keys(words).length + JSON.stringify(words).length;
    total += text.join(' ').replace(/[a-f]+([0-9])/g, '<$1>').split('<').length;
}
print(total);
JS
    cat >"$inputs/work.awk" <<'AWK'
{
    for (i = 1; i <= NF; i++) words[$i]++
    if (/[a-z_]+\(.*\);$/) calls++
    gsub(/[^A-Za-z0-9_]+/, " ")
    letters += length($0)
    longest = length($NF) > length(longest) ? $NF : longest
    sum = (sum * 31 + index($0, "e") + substr($0, NR % 7 + 1, 5)) % 65521
}
END {
    for (word in words) if (words[word] > 1) repeated++
    print NR, calls, letters, longest, sum, repeated
}
AWK
    make_written_inputs
}

# Inputs that a script writes, of programs that no default list has.
make_written_inputs() {
    cat >"$inputs/work.scm" <<'SCHEME'
(define (tak x y z) (if (not (< y x)) z (tak (tak (- x 1) y z) (tak (- y 1) z x) (tak (- z 1) x y))))
(define (make-numbers count seed)
  (if (= count 0) '() (cons seed (make-numbers (- count 1) (modulo (+ (* seed 1103) 12345) 65521)))))
(define (insert x sorted) (if (or (null? sorted) (<= x (car sorted))) (cons x sorted) (cons (car sorted) (insert x (cdr sorted)))))
(define (sort-list list) (if (null? list) '() (insert (car list) (sort-list (cdr list)))))
(define (count-digits list)
  (if (null? list) 0 (+ (string-length (number->string (car list))) (count-digits (cdr list)))))
(define (work rounds total)
  (if (= rounds 0) total
      (work (- rounds 1) (+ total (tak 12 8 4) (car (sort-list (make-numbers 150 rounds)))
                            (count-digits (make-numbers 600 rounds))))))
(display (work 55 0))
(newline)
SCHEME
    # Objects in lists, and the same kind of thing as indented text: 110 MB and 5 MB.
    awk 'BEGIN { print "["; for (i = 0; i < 1400000; i++) printf "%s{\"id\": %d, \"name\": \"item %x\", \"tags\": [\"a\\n%d\", true, null], \"at\": [%.4f, -%de-2]}\n",
        i ? "," : "", i, i * 7919, i % 97, i / 7, i; print "]" }' >"$inputs/objects.json"
    awk 'BEGIN { for (i = 0; i < 54000; i++) printf "- id: %d\n  name: \"item %x\"\n  tags: [a%d, yes, ~]\n  text: |\n    line %d\n    and more\n",
        i, i * 7919, i % 97, i }' >"$inputs/objects.yaml"
    # Clauses of three literals of 280 variables, more than most can meet.
    awk 'BEGIN { print "p cnf 280 1220"; seed = 42
        for (i = 0; i < 1220; i++) { line = ""
            for (k = 0; k < 3; k++) {
                seed = (seed * 16807) % 2147483647; variable = int(seed / 64) % 280 + 1
                line = line (int(seed / 16777216) % 2 ? variable : -variable) " " }
            print line 0 } }' >"$inputs/formula"
    # A bitmap of rings and grains.
    awk 'BEGIN { print "P1\n2400 2400"; seed = 42
        for (y = 0; y < 2400; y++) { line = ""
            for (x = 0; x < 2400; x++) {
                dx = x % 120 - 60; dy = y % 120 - 60; seed = (seed * 16807) % 2147483647
                line = line (int(sqrt(dx * dx + dy * dy) / (5 + int(x / 240) + int(y / 600))) % 2 != (seed % 97 == 0)) }
            print line } }' >"$inputs/rings.pbm"
    # Functions of a few instructions, and macros.
    awk 'BEGIN { split("rax rbx rcx rdx rsi rdi r8 r9 r10 r11 r12 r13", r, " "); seed = 42
        print "%macro push3 3\n push %1\n push %2\n push %3\n%endmacro"
        print "%macro moved 2\n%assign i 0\n%rep %1\n mov eax,[rsi+i*4+%2]\n add eax,ebx\n mov [rdi+i*4],eax\n%assign i i+1\n%endrep\n%endmacro"
        print "bits 64\nsection .text"
        for (k = 0; k < 50000; k++) {
            for (i = 1; i <= 6; i++) { seed = (seed * 16807) % 2147483647; n[i] = int(seed / 64); x[i] = r[n[i] % 12 + 1] }
            printf "f%d:\n push3 %s,%s,%s\n mov %s,[%s+%d]\n lea %s,[rel f%d]\n", k, x[1], x[2], x[3], x[4], x[5], n[6] % 4096, x[6], n[1] % (k + 1)
            if (k % 8 == 0) printf " moved %d,%d\n", n[2] % 8 + 1, n[3] % 64
            printf " cmp rax,%d\n jne near f%d\n call f%d\n ret\n", n[4] % 1000, n[5] % (k + 1), n[6] % 50000 } }' >"$inputs/functions.asm"
    # Points in a cube of six dimensions.
    awk 'BEGIN { print 6; print 6000; seed = 42
        for (i = 0; i < 36000; i++) { seed = (seed * 16807) % 2147483647; printf "%.6f%s", seed / 2147483647, i % 6 == 5 ? "\n" : " " } }' \
        >"$inputs/points"
}

# What NAME is given to do: the array `arguments`, the file `input` (standard input).
program_task() {
    input=/dev/null
    arguments=()
    case $1-$2 in
    fib-long) arguments=(37) ;;
    fib-short) arguments=(33) ;;
    bzip2-*) arguments=(-9 -c); input=$inputs/text.$2 ;;
    lua-long) arguments=("$inputs/work.lua" 36) ;;
    lua-short) arguments=("$inputs/work.lua" 3) ;;
    zlib-*) arguments=(-9 -c); input=$inputs/text.$2 ;;
    sqlite3-long) arguments=(--size 20 --memdb) ;;
    sqlite3-short) arguments=(--size 4 --memdb) ;;
    mujs-long) arguments=("$inputs/work.js" 110) ;;
    mujs-short) arguments=("$inputs/work.js" 10) ;;
    lua-seconds) arguments=("$inputs/work.lua" 400) ;;
    sqlite3-seconds) arguments=(--size 130 --memdb) ;;
    mujs-seconds) arguments=("$inputs/work.js" 1100) ;;
    lua-tens) arguments=("$inputs/work.lua" 900) ;;
    sqlite3-tens) arguments=(--size 330 --memdb) ;;
    mujs-tens) arguments=("$inputs/work.js" 2600) ;;
    mawk-long) arguments=(-f "$inputs/work.awk"); input=$inputs/text.long ;;
    libgsm-long) arguments=(-c -l); input=$inputs/sound ;;
    lzip-long) arguments=(-6 -c); input=$inputs/text.medium ;;
    tcc-long)
        local tree=$source_dir/tcc/tree
        arguments=(-B "$tree" -I "$tree/include" -I "/usr/include/$(cc -print-multiarch)" -I /usr/include
            -c "$source_dir/sqlite3/sqlite3.c" -o "$work/tcc.o")
        ;;
    # About a second each; bzip2 and zlib above.
    lua-second) arguments=("$inputs/work.lua" 120) ;;
    sqlite3-second) arguments=(--size 60 --memdb) ;;
    mujs-second) arguments=("$inputs/work.js" 340) ;;
    mawk-second) arguments=(-f "$inputs/work.awk"); input=$inputs/text.slow ;;
    libgsm-second) arguments=(-c -l); input=$inputs/sound.second ;;
    lzip-second) arguments=(-6 -c); input=$inputs/text.slow ;;
    tcc-second)
        program_task tcc long
        local last=$((${#arguments[@]} - 3)) copy
        arguments=("${arguments[@]:0:last}")
        for copy in {1..10}; do
            ln -sf "$source_dir/sqlite3/sqlite3.c" "$inputs/tcc_$copy.c"
            arguments+=("$inputs/tcc_$copy.c") # each leaves an object file here
        done
        ;;
    # Two seconds and more; bzip2, zlib, lua, sqlite3 and mujs above.
    mawk-seconds) arguments=(-f "$inputs/work.awk"); input=$inputs/text.second ;;
    libgsm-seconds) arguments=(-c -l); input=$inputs/sound.seconds ;;
    lzip-seconds) arguments=(-6 -c); input=$inputs/text.most ;;
    tcc-seconds)
        program_task tcc second
        arguments+=("${arguments[@]: -10}" "${arguments[@]: -10}")
        ;;
    minisat2-seconds) arguments=(30) ;;
    minisat2-short) arguments=(3) ;;
    cmark-seconds) arguments=("$inputs/text.md" "$inputs/text.md" "$inputs/text.md") ;;
    duktape-seconds) arguments=("$inputs/objects.js" "$inputs/objects.js") ;;
    tinyscheme-*) arguments=("$inputs/work.scm") ;;
    yajl-*) input=$inputs/objects.json ;;
    qhull-*) arguments=(s); input=$inputs/points ;;
    yaml-cpp-*) arguments=("$inputs/objects.yaml") ;;
    zstd-*) arguments=(-q -13 -c "$inputs/text.second") ;;
    nasm-*) arguments=(-f elf64 -o "$work/nasm.o" "$inputs/functions.asm") ;;
    cadical-*) arguments=(-q "$inputs/formula") ;;
    picosat-*) arguments=("$inputs/formula") ;;
    zopfli-*) arguments=(-c --i2 "$inputs/text.slow") ;;
    potrace-*) arguments=(-p -o - "$inputs"/rings.pbm{,,,,,,,}) ;;
    box2d-*) arguments=(5000) ;;
    xz-*) arguments=(-T2 --block-size=1MiB -6 -k -c "$inputs/text.long") ;;
    minisat2-long | minisat2-second) arguments=(12) ;;
    cmark-long | cmark-second) arguments=("$inputs/text.md") ;;
    duktape-long | duktape-second) arguments=("$inputs/objects.js") ;;
    esac
}

run_program() {
    program_task "$1" "$3"
    command=("$work/programs/$1/$2" "${arguments[@]}")
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
