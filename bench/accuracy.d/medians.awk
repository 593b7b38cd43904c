# For the other awk scripts here, by a second -f: medians of numbers that are added under a key.

function add(key, number) { added[key, ++count[key]] = number }

function median_of(key,    n, i, j, kept) {
    n = count[key]
    for (i = 2; i <= n; i++) {
        kept = added[key, i]
        for (j = i - 1; j > 0 && added[key, j] > kept; j--) added[key, j + 1] = added[key, j]
        added[key, j + 1] = kept
    }
    return n % 2 ? added[key, (n + 1) / 2] : (added[key, n / 2] + added[key, n / 2 + 1]) / 2
}

function size(number) { return number < 0 ? -number : number }

# The line without its first `fields` words: a name, blanks included.
function rest_after(fields,    rest) {
    rest = $0
    while (fields-- > 0) sub(/^[^ ]+ /, "", rest)
    return rest
}
