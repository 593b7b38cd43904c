pcomp record -- sample exit 7 2>/dev/null; echo $?
pcomp record -- sample 2>/dev/null; echo $?
pcomp record -- sample signal 15 2>/dev/null; echo $?
pcomp record -- sample signal 9 2>/dev/null; echo $?
pcomp record -- nosuchprogram; echo $?
pcomp record -- ./nosuchprogram; echo $?
pcomp record -- /; echo $?
echo text > plain; pcomp record -- ./plain; echo $?
printf '#!/nosuchinterpreter\n' > script; chmod +x script; pcomp record -- ./script; echo $?
ls
