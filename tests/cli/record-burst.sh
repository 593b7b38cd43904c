# Estimates are called so wherever they are shown.
pcomp record --mode burst -- spin 2>&1 | sed 's/.* calls recorded in pcomp.data.*/recorded/'
pcomp report 2>/dev/null | grep -o 'mode burst: all calls and times are estimated'
pcomp report --format json 2>/dev/null | grep -o '"mode": "burst"'
pcomp report --format json 2>/dev/null | grep '{"name": "main"' | grep -o '"N": 1,\|"calls_uncertainty"'
pcomp report --format csv 2>/dev/null | head -n 1 | grep -o 'N,outermost\|calls_uncertainty'
pcomp info 2>/dev/null | grep -o 'mode burst: hooks on in'
pcomp report --view cost --format json 2>/dev/null | grep -o '"level": "off"' | sort -u
