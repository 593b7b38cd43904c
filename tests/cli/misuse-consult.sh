for options in "--threshold cpu" "--threshold cpu=20%,locks=3" "--threshold cpu=0" "--hypothesis locks" "--focus main" \
    "--budget 0" "--at-most -1"; do
    pcomp consult $options -- true
    echo "$options: $?"
done
pcomp consult
echo $?
