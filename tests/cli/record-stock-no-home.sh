# An empty environment.
env -i "$(command -v pcomp)" record -- "$(command -v sample)" 2>/dev/null
echo $?
env -i "$(command -v pcomp)" report --format csv 2>/dev/null | cut -d, -f1 | grep -v "^\[" | sort
