# An older directory is moved aside; what is not pcomp's is left alone.
# shellcheck source=tests/cli/trace_cases.sh
. "$(dirname "$0")/trace_cases.sh"
barrier_trace data
message_trace messages
quiet() {
    pcomp replay "$@" >/dev/null 2>err
    echo "status $?"
    sed "s,$PWD/,," err
}
quiet messages -o out
quiet data -o out
ls out out.old out.old/model
quiet data -o out
ls out.old
quiet data -o data
quiet data -o ./data/
mkdir mine && touch mine/file
quiet data -o mine
quiet data -o no/such/place
mkdir empty
quiet data -o empty/
mkdir out.old/more
quiet data -o out
ls
# A replay can be replayed: nothing more is taken away.
quiet out -o again --model time
cmp -i 4096 out/1000-0.0.trace again/1000-0.0.trace && echo equal
