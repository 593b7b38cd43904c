# Functions at addresses: symbols.awk - ADDRESSES, standard input from `nm -nC`. Prints "ADDRESS<TAB>NAME" a line.

function number_of(text,    i, value) {
    for (i = 1; i <= length(text); i++) value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
    return value
}

FILENAME == "-" || FILENAME == "" {
    if ($2 !~ /^[tTwWiI]$/) next
    address = number_of($1)
    name = $0
    sub(/^[^ ]+ . /, "", name)
    if (!symbols || starts[symbols] < address) { starts[++symbols] = address; names[symbols] = name }
    next
}
{
    address = number_of($1)
    low = 1
    high = symbols
    while (low < high) {
        middle = int((low + high + 1) / 2)
        if (starts[middle] <= address) low = middle
        else high = middle - 1
    }
    if (symbols && starts[low] <= address) print $1 "\t" names[low]
}
