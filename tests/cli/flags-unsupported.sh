# Neither sleds nor hook calls, or no compiler at all: status 1, the reason and the alternative, and nothing for $(...).
compiler() {
    cat >"$1"
    chmod +x "$1"
}
compiler ignores <<"END"
#!/bin/sh
for a; do
    shift
    case $a in -finstrument* | -fplugin* | -fno-lto) ;; -dM) exit 1 ;; *) set -- "$@" "$a" ;; esac
done
exec gcc "$@"
END
compiler refuses <<"END"
#!/bin/sh
for a; do
    case $a in -finstrument* | -dM) echo "refuses: hint" >&2; echo "refuses: error: unknown option $a" >&2; exit 1 ;; esac
done
exec gcc "$@"
END
compiler fails <<"END"
#!/bin/sh
exit 3
END
compiler text <<"END"
#!/bin/sh
while [ $# -gt 1 ]; do
    if [ "$1" = -o ]; then echo text >"$2"; fi
    shift
done
END
echo text >no-program
for cc in ./ignores ./refuses ./fails ./text true ./no-program no-such-compiler "gcc -no-such-option" 'gcc $(ls)' ''; do
    pcomp flags "$cc"
    echo $?
done
pcomp flags ./refuses --hooks; echo $?
pcomp flags ./refuses --link; echo $?
pcomp flags no-such-compiler --link; echo $?
pcomp flags gcc g++; echo $?
pcomp flags gcc -m32; echo $?
TMPDIR=/nonexistent pcomp flags gcc; echo $?
