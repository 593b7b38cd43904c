#!/bin/bash
# instruction_lengths.sh TOOL FILE...: lengths of the instructions of these files, and of libc, libm and libstdc++, as objdump
# has them.
set -u
tool=$1
shift
status=0
for file in "$@" "$(cc -print-file-name=libc.so.6)" "$(cc -print-file-name=libm.so.6)" "$(cc -print-file-name=libstdc++.so.6)"; do
    [ -e "$file" ] || continue
    echo "$file"
    objdump -dw "$file" | "$tool" || status=1
done
exit $status
