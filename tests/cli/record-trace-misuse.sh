# Nothing runs, and no directory is made.
pcomp record --trace-limit 1M sample; echo $?
for limit in "" 10 63K 1T 1M:rings -1 99999999999999999999 18446744073709551615G; do
    pcomp record --trace --trace-limit="$limit" sample; echo $?
done
for option in "--mode full" "--mode auto" "--counters X" "--call-sites" "--native-frames" "--fold-recursion" "--calibration file"; do
    # shellcheck disable=SC2086
    pcomp record --trace $option sample; echo $?
done
pcomp record --budget-trace 1M sample; echo $?
for rate in "" 10 63K 1T 1M:ring x; do pcomp record --trace --budget-trace="$rate" sample; echo $?; done
ls
