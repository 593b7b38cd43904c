#!/bin/bash
# library_symbols.sh LIBRARY SYMBOLS: the library has the SONAME and the symbols that the file lists; one more, or one less, is a
# change of its interface. Those marked (optional) are there where the build has what they need.
set -u
library=$1 symbols=$2
soname=$(objdump -p "$library" | awk '$1 == "SONAME" { print $2 }')
[ "$soname" = "$(awk 'NR == 1 { print $1 }' "$symbols")" ] || {
    echo "$library: its SONAME is $soname, $symbols has $(awk 'NR == 1 { print $1 }' "$symbols")"
    exit 1
}
has=$(nm -D --defined-only "$library" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u)
all=$(awk '/^ / { sub(/^\(optional\)/, "", $1); sub(/@.*/, "", $1); print $1 }' "$symbols" | sort -u)
needed=$(awk '/^ / && !/\(optional\)/ { sub(/@.*/, "", $1); print $1 }' "$symbols" | sort -u)
added=$(comm -23 <(echo "$has") <(echo "$all")) gone=$(comm -13 <(echo "$has") <(echo "$needed"))
[ -z "$added$gone" ] || {
    echo "$symbols: added to the library:" $added
    echo "$symbols: gone from the library:" $gone
    exit 1
}
