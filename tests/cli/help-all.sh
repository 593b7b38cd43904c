pcomp --help
pcomp --version | sed 's/[0-9.]*$/VERSION/'
for command in flags record report replay compare diff calibrate verify info advise predict timeline export html annotate top tui; do
    echo "--- $command"
    pcomp $command --help || echo "status $?"
done
