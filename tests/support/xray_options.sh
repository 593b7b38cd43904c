# shellcheck shell=bash
# xray_options CLANG: the options with which it leaves sleds and links no runtime of its own; one has two spellings, an
# older and a newer. Status 1: it knows neither.
xray_options()
{
    local spelling
    for spelling in -fno-xray-link-deps -fnoxray-link-deps; do
        if "$1" -fxray-instrument $spelling -x c -c -o /dev/null /dev/null 2>/dev/null; then
            echo "-fxray-instrument -fxray-instruction-threshold=1 $spelling"
            return 0
        fi
    done
    return 1
}
