#!/bin/bash
# pure_arithmetic.sh ARCHIVE...: compensation/ keeps no variable and calls nothing but memory and mathematics.
set -u
bad=0

variables=$(nm "$@" | grep -E '^[0-9a-f]* +[BbDdCGgSs] ')
if [ -n "$variables" ]; then
    echo "compensation/ keeps variables:"
    echo "$variables"
    bad=1
fi

allowed='calloc|free|malloc|realloc|memchr|memcmp|memcpy|memmove|memset|strcmp|strlen|strncmp|strtod|qsort|bsearch'
allowed="$allowed|abs|fabs|sqrt|exp|log|pow|floor|ceil|round|rint|lround|llround|lrint|llrint|fmin|fmax|isnan|hypot|erf|tgamma|lgamma|cbrt|erfc|log1p|expm1"
allowed="$allowed|__assert_fail|abort|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_|__[a-z]+ti[0-9]"
defined=$(nm "$@" | awk 'NF > 1 && $(NF-1) ~ /^[TtRrWVi]$/ { print $NF }' | sort -u)
for symbol in $(nm -u "$@" | awk '$1 == "U" { print $2 }' | sort -u); do
    echo "$symbol" | grep -qE "^($allowed)(f|l)?$" && continue
    echo "$defined" | grep -qxF "$symbol" && continue
    echo "compensation/ calls $symbol"
    bad=1
done
exit $bad
