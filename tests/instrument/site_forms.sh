#!/bin/bash
# site_forms.sh COMPILER LINK FLAGS: every call of a hook in a program built in one way, counted by objdump, is found, and leads
# to where its call is counted, or is off (programs/site_forms.cc).
. "$(dirname "$0")/case.sh"
compiler=$1 link=$2 flags=$3
build "$compiler" "$link" program "$flags" "$SOURCES/programs/site_forms.cc"
# Calls and tail calls, through stubs, words of the global offset table (named in the comment) or directly.
calls_of()
{
    objdump -dw "$work/program" | awk -v hook="<__cyg_profile_func_$1[@>]" '
        /^[0-9a-f]+ <.*>:$/ { stub = $2 ~ /@plt/ }
        !stub && /[\t ](call|jmp) / && $0 ~ hook { n++ }
        END { print n + 0 }'
}
enters=$(calls_of enter) exits=$(calls_of exit)
run 0 "$work/program"
silent
check "expect enters $enters" "expect exits $exits"
drop "$PCOMP_DATA"
export PCOMP_OPTIONS="$mode_options --skip *"
run 0 "$work/program"
silent
: > "$work/out"
MODE=decided check "expect enters $enters" "expect exits $exits" "expect nolaw" "expect most unmatched 200" "expect most abandoned 200" "expect most uncertain 200" \
    "expect calls leaf 0" "expect calls catches 0" "expect calls tail 0"
finish
