# shellcheck source=tests/cli/trace_cases.sh
. "$(dirname "$0")/trace_cases.sh"
# The clocks of ranks 1 and 2 tick at other rates, and are far ahead. Replays, waits, names and prices are those of one
# clock.
ranks() {
    make_trace "$1" command=./ring <<END
location a pid=3000 rank=0 world=3
1000 enter main
repeat 10 20
1010 enter step
1020 exit step
end
1210 send_post 100 peer=1 tag=5
1230 send_done 100 peer=1 tag=5
1300 collective_enter 8 participants=3 operation=4 class=2
2400 collective_exit 8 participants=3 operation=4 class=2
2500 exit main
location b pid=3001 rank=1 world=3 $2
1000 enter main
1050 recv_post 100 peer=0 tag=5
1260 recv_done 100 peer=0 tag=5
1280 flush_begin
1380 flush_end 0
1400 collective_enter 8 participants=3 operation=4 class=2
2420 collective_exit 8 participants=3 operation=4 class=2
2500 exit main
location c pid=3002 rank=2 world=3 $3
1000 enter main
1100 preempted 20 a=200 b=800
2000 collective_enter 8 participants=3 operation=4 class=2
2400 collective_exit 8 participants=3 operation=4 class=2
2480 exit main
END
}
ranks one
ranks many "rate=2.5 ahead=7000000000000" "rate=0.5 ahead=900000"
for clocks in one many; do
    pcomp replay $clocks -o replayed --format json | sed "s/\"measured_directory\": \"$clocks\"//" > $clocks.json
    pcomp report replayed/model --view waiting --format csv > $clocks.waiting
    pcomp info $clocks | sed "s/^$clocks: //" > $clocks.info
    pcomp export $clocks --format chrome -o - 2> /dev/null | sed "s/\"directory\":\"$clocks\"//" > $clocks.chrome
done
pcomp replay many -o replayed | sed -n 1,3p
for what in json waiting info chrome; do
    cmp one.$what many.$what
done

# The message is received 30 ns before it was sent, as far as clocks are known.
late() {
    make_trace late command=./late alpha=0 <<END
location a pid=3000 rank=0 world=2
1000 send_post 100 peer=1 tag=5
1010 send_done 100 peer=1 tag=5
2000 enter main
location b pid=3001 rank=1 world=2 rate=2 ahead=9000000 error=$1
900 recv_post 100 peer=0 tag=5
970 recv_done 100 peer=0 tag=5
2000 enter main
END
    pcomp replay late -o replayed --comm lower | grep -E "^approx|^violation|^note"
}
late 40
late 10
