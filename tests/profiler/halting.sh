#!/bin/bash
# halting.sh COMPILER LINK FLAGS (programs/halting.cc)
. "$(dirname "$0")/../instrument/case.sh"
build "$1" "$2" program "$3" "$(dirname "$0")/programs/halting.cc"
run 0 "$work/program"
silent
finish
