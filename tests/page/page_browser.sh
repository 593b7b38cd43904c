#!/bin/sh
# page_browser.sh BIG_PROFILE: writes pages and has page_browser.py use them as a person would.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
for tool in chromium python3; do
    command -v $tool >/dev/null || {
        echo "SKIPPED: $tool is not installed"
        exit 77
    }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
make_profile plain flags=512 command='./shop --fast' <<'END'
main 1 1000000
  parse 1000 4000000
    next 2000 6000000
  wait_for_lock 10 12000000 11000000 0
  sum 10 2000000
thread worker
serve 3 5000000
count seldom 12 common timed
END
make_profile slower flags=512 pid=2000 command='./shop --fast' <<'END'
main 1 1000000
  parse 1000 4000000
    next 2000 26000000
  wait_for_lock 10 12000000 11000000 0
  sum 10 2000000
END
make_profile hostile command='./x</script><script>document.title="taken"</script>' <<'END'
main 1 1000000
  <script>document.title="taken"</script> 1 2000000
  </script><img~src=x~onerror=alert(1)> 1 3000000
  "quoted'&amp; 1 4000000
  line\xe2\x80\xa8separator\xe2\x80\xaeturned 1 5000000
  <!--<script> 1 6000000
END
make_trace traced <<'END'
location rank0 pid=10 rank=0 world=2
0 enter main
100 send_post 64 peer=1 tag=3
200 send_done 64 peer=1 tag=3
800 exit main
location rank1 pid=11 rank=1 world=2
10 enter main
50 recv_post 64 peer=0 tag=3
260 recv_done 64 peer=0 tag=3
300 enter <script>work
600 exit <script>work
950 exit main
END
pcomp replay traced -o replayed --comm lower >replay.log
pcomp html replayed -o timeline.html
make_trace long <<'END'
location main pid=10
0 enter main
repeat 100000 1000
10 enter parse
100 enter next
300 exit next
900 exit parse
end
100000800 exit main
END
pcomp html long -o long.html 2>long.log
pcomp html plain -o plain.html
LC_ALL=C.UTF-8 pcomp report plain 2>/dev/null | head -n 1 >plain.txt
pcomp html plain slower -o difference.html
pcomp html hostile -o hostile.html
"$1" "$(command -v pcomp)" big 99000
pcomp html big -o big.html
"$1" "$(command -v pcomp)" bigger 150000
pcomp html bigger -o bigger.html
python3 "$here/page_browser.py"
