#!/bin/bash
# manual_pages.sh SOURCE: the manual pages have no mistakes, and each page that they refer to exists.
set -u
cd "$1/docs/man" || exit 2
command -v mandoc >/dev/null || {
    echo "SKIPPED: mandoc is not installed"
    exit 77
}
bad=0
mandoc -Tlint -Wwarning ./*.[1-9] || bad=1
for page in $(sed -n 's/^\.Xr \(pcomp[a-z-]*\) \([1-9]\).*/\1.\2/p' ./*.[1-9] | sort -u); do
    [ -e "$page" ] || {
        echo "there is no $page, which is referred to"
        bad=1
    }
done
exit $bad
