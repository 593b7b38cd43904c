# Frames of a program, from what `perf script -F ip,dso` prints, with dsoff where perf knows it and prints addresses of the
# process: a line a sample, the addresses of its frames in the file `binary`, the innermost first, hexadecimal.
# delta: address less place in the file. A frame's place is behind its call, but for the first.
# A sample that no such frame is in has the line "-": its stack ended before.

function number_of(text,    i, value) {
    if (text in numbers) return numbers[text]
    for (i = 1; i <= length(text); i++) value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
    return numbers[text] = value
}

NF == 0 { if (frames) print (line == "" ? "-" : line); line = ""; frames = 0; next }
{
    innermost = !frames++
    at = $1
    sub(/^[^(]*\(/, "")
    sub(/\)$/, "")
    if (match($0, /\+0x[0-9a-f]+$/)) {
        at = substr($0, RSTART + 3)
        $0 = substr($0, 1, RSTART - 1)
    }
    if ($0 == binary) line = line (line == "" ? "" : " ") sprintf("%x", number_of(at) + delta - !innermost)
}
END { if (frames) print (line == "" ? "-" : line) }
