#!/bin/bash
# switching_stress.sh COMPILER LINK FLAGS THREADS SECONDS (programs/switching_stress.cc)
. "$(dirname "$0")/../instrument/case.sh"
build "$1" "$2" program "$3" "$(dirname "$0")/programs/switching_stress.cc"
run 0 "$work/program" "$4" "$5"
silent
grep switches "$work/out"
check
finish
