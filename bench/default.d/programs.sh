# shellcheck shell=bash disable=SC2034,SC2154
# Sourced by bench/default: the programs, of which kind each is, and which of them came afterwards.
#
# Afterwards: programs that nobody looked at while the method was made. Their figures are judged apart. A program leaves this list
# when it has been used to find out why a figure is as it is.

design_programs="lua mujs mawk duktape bzip2 lzip zlib cmark minisat2 libgsm sqlite3 tcc xz"
afterwards_programs="tinyscheme yajl qhull yaml-cpp picosat zopfli potrace box2d zstd nasm cadical"
all_programs="$design_programs $afterwards_programs"
short_programs="lua mujs bzip2 zlib sqlite3 minisat2" # that real_programs.sh has a short input for

kind_of() {
    case $1 in
    lua | mujs | mawk | duktape | tinyscheme) echo interpreter ;;
    bzip2 | lzip | zlib | zopfli | zstd) echo compressor ;;
    xz) echo "two threads" ;;
    cmark | yajl) echo parser ;;
    minisat2 | picosat | cadical) echo solver ;;
    libgsm) echo codec ;;
    sqlite3) echo database ;;
    tcc | nasm) echo compiler ;;
    qhull | potrace) echo geometry ;;
    box2d) echo "C++ physics" ;;
    yaml-cpp) echo "C++ parser" ;;
    esac
}

set_of() {
    [[ " $afterwards_programs " != *" $1 "* ]] && echo design || echo afterwards
}
