# awk -f count_results.awk LastTest.log OUTPUT: counts the tests of a ctest run; prints PASSED FAILED SKIPPED.
#
# Every test of a Criterion program counts on its own (its figures are in LastTest.log, skipped ones only with
# CRITERION_VERBOSITY_LEVEL=1), every other program counts as one. Whether a program passed is in ctest's OUTPUT alone:
# the log calls skipped programs passed. A program that failed counts at least one failure.
FNR == 1 { file++ }
file == 1 && /^[0-9]+\/[0-9]+ Testing: / { name = $3 }
file == 1 && /^\[SKIP\] / { skips[name]++ }
file == 1 && /Synthesis: Tested: / {
    match($0, /Tested: [0-9]+/)
    tested[name] += substr($0, RSTART + 8, RLENGTH - 8)
    match($0, /Passing: [0-9]+/)
    passing[name] += substr($0, RSTART + 9, RLENGTH - 9)
}
file == 2 && /^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / {
    name = $0
    sub(/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: /, "", name)
    sub(/ .*/, "", name)
    skipped += skips[name]
    if ($0 ~ /\*\*\*Skipped|\(Disabled\)/) {
        skipped++
    } else if ($0 ~ /\*\*\*/) {
        passed += passing[name]
        failed += tested[name] > passing[name] ? tested[name] - passing[name] : 1
    } else if (name in tested) {
        passed += passing[name]
    } else {
        passed++
    }
}
END { print passed + 0, failed + 0, skipped + 0 }
