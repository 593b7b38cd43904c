#!/bin/bash
# A real program, where bench/fetch has brought its source: Lua with sleds and without says the same, and each function of
# it is in the map.
. "$(dirname "$0")/sled_case.sh"
source=${PCOMP_BENCH_DIR:-$TOP/build/bench-work}/src/lua5.4
[ -e "$source/.complete" ] || { echo "SKIPPED: bench/fetch lua5.4 has not been run"; exit 77; }
echo '#define DEB_HOST_MULTIARCH ""' > lua5.4-deb-multiarch.h
mapfile -t files < <(find "$source/tree/src" -name '*.c' ! -name luac.c | sort)
flags="-O1 -DLUA_USE_POSIX -I. -Dluai_makeseed(L)=42"
cat > work.lua << 'END'
local list = {}
for i = 1, 3000 do list[i] = (i * 7919) % 3001 end
table.sort(list, function(a, b) return a > b end)
print(list[1], #table.concat(list, ","):gsub("%d", "#"), pcall(error, "caught"))
print(coroutine.wrap(function(...) return select("#", ...), coroutine.yield() end)(1, 2, 3))
END
# shellcheck disable=SC2086
for way in plain sleds; do
    quiet gcc_$way $flags "${files[@]}" -lm -o lua_$way || finish
    ./lua_$way work.lua > $way.out 2>&1
done
cmp plain.out sleds.out || fail "Lua says something else with sleds"
quiet "$CHECK" lua_sleds note "endless=*" has=luaV_execute has=lua_newstate has=main
finish
