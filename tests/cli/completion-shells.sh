# Every option of every command is in what the shells get, and the shells take it.
pcomp completion bash >pcomp.bash && bash -n pcomp.bash
for command in $(pcomp --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    for option in $(pcomp $command --help | sed -n 's/^  *\(-., \)*\(--[a-z-]*\).*/\2/p'); do
        sed -n "/^    $command)/,/;;\$/p" pcomp.bash | grep -q -- "[' ]$option[' ]" || echo "$command: $option is missing"
    done
done
bash -c '. ./pcomp.bash
completes() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pcomp; echo "${COMPREPLY[*]}"; }
completes pcomp re
completes pcomp report --ti
completes pcomp report --times ""
completes pcomp report --times = r
completes pcomp record --sampler p
completes pcomp record -- samp | grep -o "sample "'
pcomp completion zsh >_pcomp && head -n 1 _pcomp
pcomp completion fish; echo $?
