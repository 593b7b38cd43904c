# Names and numbers that do not fit are refused, whoever reads them: nothing is written elsewhere.
long=$(printf '%05000d' 0 | tr 0 x)
library=$(dirname "$(command -v pcomp)")/../lib/libpcomp.so
here() {
    env LD_PRELOAD="$library" "$@" sample 2>&1 >/dev/null | cut -c1-120
}
here PCOMP_DATA="/tmp/$long"
here PCOMP_DATA="$(printf '%04090d' 0 | tr 0 y)"
here PCOMP_OPTIONS="-o $(printf '%04090d' 0 | tr 0 y)"
here PCOMP_OPTIONS="--trace --trace-limit 99999999999999999999"
here PCOMP_OPTIONS="--trace --budget-trace 18446744073709551617"
ls
pcomp record --trace --trace-limit 99999999999999999999 -- sample 2>&1
