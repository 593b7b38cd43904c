pcomp record -- sample signal 9 2>&1 | sed 's/, [0-9.]* [^ ]*s (.*)/, TIME (SHARE)/'
pcomp info --format csv 2>/dev/null | cut -d, -f4
pcomp report --format csv 2>/dev/null | columns name N open | sort
