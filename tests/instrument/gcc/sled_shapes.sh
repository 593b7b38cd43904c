#!/bin/bash
# Which functions have sleds and of which form; sections, the linkers, shared libraries, -flto, the note.
. "$(dirname "$0")/sled_case.sh"
shapes=$here/programs/sled_shapes.c
excluded="lacks=naked_function lacks=left_out lacks=keeps_registers lacks=interrupt_handler lacks=resolve_chosen lacks=cloned.resolver
endless=never_returns"
included="has=plain has=cloned has=partitioned has=in_own_section has=plain_thunk_return tails=leaves_by_eh_return"

# shape WORDS FLAGS: builds the program so, runs it, and holds its map to WORDS
shape()
{
    # shellcheck disable=SC2086
    quiet gcc_sleds $2 "$shapes" -o shapes || return
    # shellcheck disable=SC2086
    quiet "$CHECK" shapes note $1
    quiet ./shapes
}
for flags in -O0 -O1 -O2 -Os "-O2 -fcf-protection=full -g" "-O2 -flto -flto-partition=none"; do
    shape "$excluded $included" "$flags"
done
tails="tails=plain tails=partitioned" # where a return is more than the one byte c3
shape "$excluded $tails" "-O2 -mfunction-return=thunk-inline"
shape "$excluded $tails" "-O2 -mharden-sls=return"
shape "$excluded $tails" "-O2 -pg -mfentry -minstrument-return=nop5"

quiet gcc_sleds -O2 -fcf-protection=none "$shapes" -o shapes && quiet "$CHECK" shapes tails=plain_thunk_return endless=never_returns

# Sleds live and die with their function.
shape "$excluded has=plain lacks=never_called" "-O2 -ffunction-sections -Wl,--gc-sections"
shape "$excluded has=never_called" "-O2 -ffunction-sections"
if command -v ld.lld > /dev/null; then
    shape "$excluded has=plain lacks=never_called" "-O2 -ffunction-sections -fuse-ld=lld -Wl,--gc-sections"
fi
if command -v ld.gold > /dev/null; then # drops the map; the note tells
    quiet gcc_sleds -O2 -ffunction-sections -fuse-ld=gold -Wl,--gc-sections "$shapes" -o shapes &&
        quiet "$CHECK" shapes note
fi

# The plugin at the compilation, none at the link: no sleds, and the note tells.
quiet gcc_sleds -O2 -flto -c "$shapes" -o shapes.o && quiet gcc_plain -O2 -flto shapes.o -o shapes &&
    quiet "$CHECK" shapes note no-map

# A shared library: its functions may be replaced by others', its sleds are its own.
quiet gcc_sleds -O2 -fPIC -shared "$shapes" -o libshapes.so -Wl,-z,text && quiet "$CHECK" libshapes.so note $excluded $included
if command -v ld.lld > /dev/null; then
    quiet gcc_sleds -O2 -fPIC -shared -fuse-ld=lld "$shapes" -o libshapes.so -Wl,-z,text -Wl,-z,undefs &&
        quiet "$CHECK" libshapes.so note $excluded $included
fi
readelf -SW libshapes.so | grep -q 'xray_instr_map .* W' && fail "the map is writable"

# A function that jumps to its cold part has one entry sled, and sleds in both.
quiet gcc_sleds -O2 -c "$shapes" -o shapes.o && objdump -d shapes.o > disassembly
grep -A9 '<partitioned.cold>:' disassembly | grep -q '66 66 2e 0f 1f 84 00' || fail "no sled in the cold part of a function"
finish
