# The browser in a real terminal: keys, sizes, signals; the terminal is afterwards as it was before.
command -v tmux >/dev/null || skip "tmux is not installed"
make_profile data command="./shop --fast" flags=512 price=0 <<"END"
main 1 1000000
  wait 1 2000000 1500000 0
  計算する関数 7 4000000
    leaf 9 500000
thread worker
work 1 5000000
END
unset TMUX
tmux() { command tmux -S "$PWD/socket" -f /dev/null "$@"; }
tmux new-session -d -x 80 -y 24 -c "$PWD" "env PS1='> ' LC_ALL=C.UTF-8 PATH='$PATH' sh"
trap 'tmux kill-server' EXIT
keys() { tmux send-keys "$@"; }
screen() { tmux capture-pane -p | sed 's/ *$//' | grep .; }
# until the screen has the text
await() {
    for try in $(seq 100); do
        if screen | grep -q -- "$1"; then return; fi
        sleep 0.1
    done
    echo "not on the screen: $1"
    screen
}
show() {
    echo "--- $1"
    screen | sed 's/^[0-9:]\{8\}  /TIME  /'
}
keys 'stty -a >before; clear; echo ready' Enter
await '^ready'
keys 'pcomp tui data; echo left $?' Enter
await 'quit'; show functions
keys Down Enter; await '<- main'; show calls
keys Escape; await 'threads'; keys c i; await 'raw, inclusive'; show raw
keys c i t; await 'worker'; show threads
keys Down Enter; await 'thread [0-9]'; show thread
keys Escape; keys '\' l e a Enter; await 'only lea'; show filter
keys Escape; keys '?'; await 'sort by'; keys q; await 'quit'
keys a; await 'totals of the run$'; show source
keys q; await 'quit'
tmux resize-window -x 20 -y 5; await '^ *[0-9.]* ms *[a-z]*$'; show small
tmux resize-window -x 80 -y 24; await 'quit'
keys q; await '^left 0'; show left
keys 'stty -a >after; cmp before after && echo same' Enter; await '^same'

# signals
for signal in TERM HUP; do
    keys "clear; sh -c 'echo \$\$ >pid; exec pcomp tui data'; echo ended \$?" Enter
    await 'quit'
    kill -$signal "$(cat pid)"
    await '^ended'; screen | grep ended
done
keys 'clear; pcomp tui data' Enter; await 'quit'; keys C-c; await '^>'
keys 'stty -a >after; cmp before after && echo same' Enter; await '^same'

# terminals that nothing can be drawn on
for term in dumb nosuch ''; do
    keys "clear; TERM='$term' pcomp tui data; echo status$term \$?" Enter
    await "^status$term "; screen | grep pcomp:
done

# a program that ends
mkfifo started
pcomp record -q -o live -- sample wait >started 2>/dev/null &
recorder=$!
exec 3<started
read line <&3
keys 'clear; pcomp top live --interval 0.1' Enter
await 'rates of the last'
kill -TERM $recorder
await 'the program has ended'
keys q; await '^>'
