#!/bin/bash
# site_forms.sh COMPILER LINK FLAGS: every call of a hook in a program built in one way, counted by objdump, is found, turned
# off and on (programs/site_forms.cc).
. "$(dirname "$0")/../instrument/case.sh"
compiler=$1 link=$2 flags=$3
programs=$(dirname "$0")/programs
build "$compiler" "$link" program "$flags" "$programs/site_forms.cc"
# Calls and tail calls, through stubs, words of the global offset table (named in the comment) or directly. gcc's static programs
# have no table of their functions: parts that lie apart, below the first function that was reached, are not found.
calls_of()
{
    objdump -dw "$work/program" | awk -v hook="<__cyg_profile_func_$1[@>]" -v apart="$compiler:$link" '
        /^[0-9a-f]+ <.*>:$/ { cold = apart == "g++:fullstatic" && $2 ~ /[.]cold>/; stub = $2 ~ /@plt/ }
        !cold && !stub && /[\t ](call|jmp) / && $0 ~ hook { n++ }
        END { print n + 0 }'
}
enters=$(calls_of enter) exits=$(calls_of exit)
run 0 "$work/program" "$enters" "$exits"
silent
cat "$work/out"
check
finish
