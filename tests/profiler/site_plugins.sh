#!/bin/bash
# site_plugins.sh COMPILER LINK FLAGS (programs/site_plugins.c)
. "$(dirname "$0")/../instrument/case.sh"
build gcc none a.so "-O1 -fPIC -shared -DNAME=in_plugin_a -DNUMBER=1" "$SOURCES/programs/plugin.c"
build gcc none b.so "-O1 -fPIC -shared -DNAME=in_plugin_b -DNUMBER=2" "$SOURCES/programs/plugin.c"
build gcc "$2" program "$3" "$(dirname "$0")/programs/site_plugins.c"
run 0 "$work/program" "$work/a.so" "$work/b.so"
silent
check
finish
