pcomp record -- sample 2>&1 | sed 's/, [0-9.]* [^ ]*s (.*)/, TIME (SHARE)/'
pcomp report --format csv 2>/dev/null | columns name N | grep -v "^\[" | sort
pcomp record -o other -- sample 2>&1 | sed 's/.*: //'
