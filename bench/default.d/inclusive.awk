# Inclusive times beside the truth: inclusive.awk CHOSEN PROFILE...
#
# PROFILEs are profile.coarse.ROUND, the truth; profile.default.ROUND stands beside each. Behind medians.awk. Prints
# "error NAME" a function, in % the median over rounds, then "functions within worst": how many are within 5 %.

# The inclusive times of `path`, by name, as array `into`.
function read_times(path, into,    line) {
    split("", into)
    while ((getline line <path) > 0) {
        $0 = line
        into[rest_after(4)] = $4
    }
    close(path)
}

FILENAME == ARGV[1] { chosen[$0]; next }
FNR == 1 {
    partner = FILENAME
    sub(/profile\.coarse\./, "profile.default.", partner)
    read_times(FILENAME, truth)
    read_times(partner, estimate)
    for (name in chosen)
        if (truth[name] > 0) add(name, 100 * (estimate[name] / truth[name] - 1))
}

END {
    for (name in chosen) {
        if (!count[name]) continue
        error = median_of(name)
        printf "%.3f %s\n", error, name
        functions++
        within += size(error) <= 5
        if (size(error) > size(worst)) worst = error
    }
    printf "%d %d %.3f\n", functions, within, worst
}
