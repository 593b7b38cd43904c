#!/bin/bash
# needed_libraries.sh LIBRARY...: a run-time library is linked with libc and nothing else.
set -u
bad=0
for library in "$@"; do
    for needed in $(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
        case $needed in
        libc.so.6 | ld-linux*.so.*) ;;
        *)
            echo "$library: is linked with $needed"
            bad=1
            ;;
        esac
    done
done
exit $bad
