#!/bin/bash
# readme_commands.sh SOURCE PCOMP: what README.md and docs/ tell the reader to type exists: commands, options.
# documents.sh holds links.
set -u
cd "$1" || exit 2
pcomp=$2
bad=0
complain() {
    echo "$1"
    bad=1
}

# Command lines: lines of ```sh blocks, without the prompt.
for file in README.md $(find docs -name '*.md'); do
    while IFS= read -r line; do
        line=${line#\$ }
        set -f
        # shellcheck disable=SC2086
        set -- $line
        set +f
        case ${1:-} in
        ./*) [ -x "$1" ] || complain "$file: $1 is no command of the tree" ;;
        pcomp)
            case ${2:-} in -*) continue ;; esac
            command=$2
            "$pcomp" "$command" --help >/dev/null 2>&1 || complain "$file: there is no 'pcomp $command'"
            shift 2
            for word in "$@"; do
                [ "$word" = -- ] && break
                case $word in
                --*)
                    "$pcomp" "$command" --help | grep -qE -- "(^|[^-a-z])${word%%=*}([^-a-z]|$)" ||
                        complain "$file: 'pcomp $command' has no ${word%%=*}"
                    ;;
                esac
            done
            ;;
        esac
    done < <(awk '/^```/ { on = ($0 == "```sh"); next } on && !/^#/' "$file")
done
exit $bad
