# zsh in a real terminal completes commands, options, their values, and the program with its own arguments.
command -v tmux >/dev/null && command -v zsh >/dev/null || skip "tmux or zsh is not installed"
pcomp completion zsh >_pcomp && zsh -n _pcomp
mkdir bin profile && touch bin/measured_program input_file && chmod +x bin/measured_program
printf '%s\n' 'fpath=($PWD $fpath); path=($PWD/bin $path); autoload -U compinit; compinit -D -u; PS1="> "' >setup
unset TMUX
tmux() { command tmux -S "$PWD/socket" -f /dev/null "$@"; }
tmux new-session -d -x 100 -y 24 -c "$PWD" "env PATH='$PATH' zsh -f"
trap 'tmux kill-server' EXIT
await() {
    for try in $(seq 50); do
        if tmux capture-pane -p | grep -q -- "$1"; then return; fi
        sleep 0.1
    done
    false
}
# TEXT WHAT: what stands there, or is offered, when Tab was typed behind the text
completes() {
    tmux send-keys C-u clear Enter
    for try in $(seq 50); do
        if [ "$(tmux capture-pane -p | grep .)" = '>' ]; then break; fi
        sleep 0.1
    done
    tmux send-keys "$1" Tab
    if await "$2"; then
        echo "$1: $2"
        return
    fi
    echo "$1: not $2"
    tmux capture-pane -p | grep .
}
await '# '
tmux send-keys '. ./setup' Enter
await '^>'
completes 'pcomp rep' '^report  -- '
completes 'pcomp repl' 'pcomp replay'
completes 'pcomp report --ti' '--times='
completes 'pcomp report --times=' 'both .* raw'
completes 'pcomp report pro' 'report profile/'
completes 'pcomp record --sampler=pe' '--sampler=perf'
completes 'pcomp record measured' 'record measured_program'
completes 'pcomp record -- measured' '-- measured_program'
completes 'pcomp record measured_program inp' 'measured_program input_file'
