#!/bin/sh
# spread_replay.sh MPI: what several processes of `mpirun pcomp replay` make together is what one makes, byte for byte
# but for the run's number; and what fails in one of them ends all with one message.
# PATH has pcomp and make_trace first.
set -u
mpi=$1
command -v "mpirun.$mpi" >/dev/null || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
# shellcheck source=tests/cli/trace_cases.sh
. "$(dirname "$0")/trace_cases.sh"
cd "$work" || exit 1
unset PCOMP_DATA PCOMP_OPTIONS PCOMP_RUN_ID
export LC_ALL=C.UTF-8 TMPDIR="$work" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
bad=0

fail() {
    echo "$mpi: $*" >&2
    bad=1
}

# spread N ARGUMENT...: replays by N processes.
spread() {
    processes=$1
    shift
    case $mpi in
    openmpi) set -- --oversubscribe --mca mpi_yield_when_idle 1 pcomp replay "$@" ;;
    *) set -- pcomp replay "$@" ;;
    esac
    timeout 60 "mpirun.$mpi" -n "$processes" "$@" </dev/null
}

# differ A B: the files of one that are not the same in the other. Headers have the number of the run.
differ() {
    (cd "$1" && find . -type f ! -name run | sort) >names
    (cd "$2" && find . -type f ! -name run | sort) | diff names - || return
    while read -r name; do
        case $name in
        *.trace) from=49 to=64 ;;
        *.pcomp) from=137 to=152 ;;
        *) from=0 to=0 ;;
        esac
        cmp -l "$1/$name" "$2/$name" 2>&1 | awk -v name="$name" -v from=$from -v to=$to \
            '$1 < from || $1 > to { n++ } END { if (n) print name ": " n " bytes" }'
    done <names
}

# What a run says of itself is not the result: where it wrote, and the memory of one process.
said() { sed 's/"window_bytes": [0-9]*//; s/"written": "[a-z]*"//' "$1"; }

# same DIR OPTION...
same() {
    dir=$1
    shift
    rm -rf alone together alone.old together.old
    pcomp replay "$dir" -o alone --format json "$@" >alone.json || fail "$dir: one process: status $?"
    for processes in 2 3; do
        spread $processes "$dir" -o together --format json "$@" >together.json ||
            fail "$dir $*: $processes processes: status $?"
        difference=$(differ alone together)
        [ -z "$difference" ] || fail "$dir $*: $processes processes write something else: $difference"
        said alone.json >alone.said
        said together.json | diff alone.said - >&2 || fail "$dir $*: $processes processes say something else"
    done
}

# Three ranks: a ring of messages, a barrier of all, and rank 1 has a thread, whose semaphore it posts late.
ring_trace() {
    make_trace "$1" command=./ring <<"END"
location rank0 pid=3000 rank=0 world=3
1000 enter main
repeat 30 100
1010 send_post 100 peer=1 tag=5
1020 send_done 100 peer=1 tag=5
1030 recv_post 100 peer=2 tag=5
1099 recv_done 100 peer=2 tag=5
end
4100 collective_enter 0 participants=3 class=1 operation=1
4250 collective_exit 0 participants=3 class=1 operation=1
4300 exit main
location rank1 pid=3001 rank=1 world=3
1000 enter main
1001 create 7
repeat 30 100
1011 recv_post 100 peer=0 tag=5
1040 recv_done 100 peer=0 tag=5
1050 send_post 100 peer=2 tag=5
1060 send_done 100 peer=2 tag=5
1070 sem_v 64
end
4110 collective_enter 0 participants=3 class=1 operation=1
4251 collective_exit 0 participants=3 class=1 operation=1
4260 join_begin 7
4280 join_end 7
4300 exit main
location worker pid=3001 rank=1 world=3
1002 start 7
repeat 30 100
1011 sem_p_s 64
1012 sem_p_w 64
1090 sem_p_e 64
end
4200 finish 7
location rank2 pid=3002 rank=2 world=3
1000 enter main
repeat 30 100
1021 recv_post 100 peer=1 tag=5
1075 recv_done 100 peer=1 tag=5
1085 send_post 100 peer=0 tag=5
1095 send_done 100 peer=0 tag=5
end
4200 collective_enter 0 participants=3 class=1 operation=1
4252 collective_exit 0 participants=3 class=1 operation=1
4300 exit main
END
}

message_trace messages
barrier_trace threads
ring_trace ring
same messages
same messages --comm upper
same threads # of one process: nothing is left for the others
same ring
same ring --model time

# refused TEXT N ARGUMENT...: status 1 after one line that says so, and nothing is left.
refused() {
    text=$1 processes=$2
    shift 2
    rm -rf out
    spread "$processes" "$@" -o out >said 2>err
    status=$?
    [ $status = 1 ] || fail "$*: status $status"
    if [ "$(grep -c '^pcomp: ' err)" != 1 ] || ! grep -q "^pcomp: .*$text" err; then
        fail "$*: says: $(cat err)"
    fi
    [ -z "$(find . -maxdepth 1 -name 'out*')" ] || fail "$*: leaves something behind"
}
refused "not found" 2 nowhere
cp -r ring damaged
truncate -s 5000 damaged/3002-0.0.trace
refused "3002-0.0.trace: " 3 damaged
rm damaged/*
make_trace damaged <<"END"
location sender pid=2000 rank=0 world=2
1000 enter main
1300 exit main
location receiver pid=2001 rank=1 world=2
1050 recv_post 100 peer=0 tag=5
1260 recv_done 100 peer=0 tag=5
END
refused "rank 1, event 1 .*in no trace" 2 damaged
rm damaged/*
make_trace damaged <<"END"
location one pid=2000
1000 sem_init 36028797018963976 a=1
1010 sem_v 36028797018963976
location other pid=2001
1050 sem_p_s 36028797018963976
END
refused "object of several processes" 2 damaged
exit $bad
