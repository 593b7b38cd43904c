# Marks where functions begin in assembly output, for bench/programs/function_site.c.
#
#   mark_sites.awk NAMES variant=plain|instr FILE.s      NAMES: a file of assembly names, one a line
#
# plain: at the function's label. instr: after the call of its enter hook, or its sled (gcc's a .byte, clang's a jump and a
# nopw), so that what happens there is the function's own.
# Copies of a function that gcc specialised (f.constprop.0, f.isra.0) count as the function.

function mark(name) {
    print "\t.pushsection bench_sites,\"aw\",@progbits\n\t.balign 8\n\t.quad 99991f, 99992f\n\t.popsection"
    print "\t.pushsection .rodata.bench_sites,\"a\",@progbits\n99992:\t.asciz \"" name "\"\n\t.popsection"
    print "99991:\t.byte 0x0f, 0x1f, 0x44, 0x00, 0x00"
}

FILENAME == ARGV[1] { wanted[$1] = 1; next }
{ print }
/^[A-Za-z_]/ && match($1, /:$/) {
    name = substr($1, 1, length($1) - 1)
    sub(/\.(constprop|isra)\.[0-9]+/, "", name)
    awaited = ""
    in_sled = 0
    if (!(name in wanted)) next
    if (variant == "plain") mark(name)
    else awaited = name
}
awaited != "" && /^\.L(pcomp|xray)_sled/ { in_sled = 1 }
awaited != "" && (/^[ \t]*call.*__cyg_profile_func_enter/ || (in_sled && /^[ \t]*(\.byte|nopw)[ \t]/)) {
    mark(awaited)
    awaited = ""
}
