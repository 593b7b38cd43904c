# shellcheck shell=bash disable=SC2154
# The figures of the papers on more locations than there are processors: the simulated machine of the tests runs each
# program measured and unmeasured, so T is known; every event costs alpha within 20 %. Medians of 7 random programs, in
# percent of T. The paper's number stands beside each, where its text has one.

figures=$programs/bench_simulated_figures

# worst COLUMN: greatest absolute value in a column of `points`.
worst() {
    awk -v c="$1" '{ e = $c < 0 ? -$c : $c; if (e > most) most = e } END { printf "%.2f", most }' points
}

# always CONDITION: whether it is true of every line of `points`.
always() {
    awk "!($1) { bad = 1 } END { print bad ? \"no\" : \"yes\" }" points
}

figure "simulated: barriers, alpha 6 to 36 units (1993 Fig. 5)"
printf '  %8s %8s %10s %10s %16s\n' threads alpha T_m T_a 'alpha + 10 %'
"$figures" barriers >points
awk '{ printf "  %8s %8s %+9.2f%% %+9.2f%% %+15.2f%%\n", $1, $2, $3, $4, $5 }' points
at_most "worst error of T_a (paper: within 5 %)" "$(worst 4)" % 5
at_most "worst error of T_a where alpha is taken 10 % too dear" "$(worst 5)" % 5

for kind in fewer equal; do
    [ $kind = fewer ] && name="A: fewer events in each of more ranks" || name="B: as many events in each rank"
    figure "simulated: transpose, $name (1993 Fig. 6)"
    printf '  %8s %10s %12s %10s %12s\n' ranks T_m optimistic modelled pessimistic
    "$figures" transpose-$kind >points
    awk '{ printf "  %8s %+9.2f%% %+11.2f%% %+9.2f%% %+11.2f%%\n", $1, $3, $4, $5, $6 }' points
    # shellcheck disable=SC2016
    holds "optimistic < T <= pessimistic (paper: so)" "" "always" "$(always '$4 < 0 && $6 >= 0')"
    # shellcheck disable=SC2016
    holds "the model lies between them (paper: so)" "" "always" "$(always '$4 <= $5 && $5 <= $6')"
    at_most "worst error of the model" "$(worst 5)" % 5
done

figure "simulated: blind receives, a third of the ranks measured (1993 Fig. 7)"
printf '  %8s %10s %10s %10s %10s\n' ranks T_m preserve LIFO FIFO
"$figures" blind >points
awk '{ printf "  %8s %+9.2f%% %+9.2f%% %+9.2f%% %+9.2f%%\n", $1, $3, $4, $5, $6 }' points
at_most "worst error of FIFO (paper: significantly reduced, of 20 %)" "$(worst 6)" % 2
fact "worst error of LIFO (paper: not reduced, of 20 %)" "$(worst 5)" %
fact "worst error that preserves the order" "$(worst 4)" %

figure "simulated: Monte-Carlo pi (2005 Fig. 1)"
printf '  %8s %10s %10s %10s\n' ranks T_m lower upper
"$figures" pi >points
awk '{ printf "  %8s %+9.2f%% %+9.2f%% %+9.2f%%\n", $1, $3, $4, $5 }' points
at_most "worst error of the lower bound (paper: close, above T)" "$(worst 4)" % 5
# shellcheck disable=SC2016
holds "T_a is nearer to T than T_m, by either bound (paper: so)" "" "always" "$(always '$4 * $4 < $3 * $3 && $5 * $5 < $3 * $3')"

figure "simulated: composition of T_m - T_a, lower bound (2005 Fig. 2, 4 processes)"
printf '  %8s %10s %14s %12s %14s %12s\n' ranks execution "of workers" "late sender" "of the master" collectives
"$figures" pi-composition >points
awk '{ printf "  %8s %9.0f%% %13.0f%% %11.0f%% %13.0f%% %11.0f%%\n", $1, $3, $4, $5, $6, $7 }' points
printf '  %8s %9s%% %14s %11s%% %13s%% %12s\n' "paper, 4" 63 "almost all" 28 80 -
