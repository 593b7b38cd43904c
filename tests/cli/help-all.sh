# Of the commands with the options of record their form alone: rules_record_options compares them with the library's
# and with the manual page.
pcomp --help
pcomp --version | sed 's/[0-9.]*$/VERSION/'
for command in flags record report replay compare diff calibrate verify info advise predict timeline export html annotate top tui; do
    echo "--- $command"
    case $command in
    record | verify)
        pcomp $command --help | awk '
            /^options:/ { options = 1; print; next }
            !options || !NF { options = 0; print; next }
            length > 120 || !/^(  (-.,|   ) --[a-z-]+|                              [^ ])/ { print "odd: " $0 }
            / --help +this text$/ { print }'
        ;;
    *) pcomp $command --help || echo "status $?" ;;
    esac
done
