#!/bin/bash
# documents.sh SOURCE: the documents keep their limits of length, their template and their words, and what they refer to
# exists. words.sh searches the sources.
set -u
cd "$1" || exit 2
export LC_ALL=C.UTF-8
shopt -s globstar
bad=0
complain() {
    echo "$1"
    bad=1
}

MAX_WORDS=20000      # of docs/ without results and decisions
MAX_MODEL_WORDS=1200 # of a page of docs/model
MAX_COLUMNS=120
TEMPLATE="Symbols Assumptions Equations Code When it fails Constants "

all=(docs/**/*.md)
frozen=(docs/results/*.md docs/decisions/*.md)
current=()
for page in "${all[@]}"; do
    case $page in docs/results/* | docs/decisions/*) ;; *) current+=("$page") ;; esac
done

# --- length: tables of results and decisions may be wider, and what README's example shows is what a run printed

words=$(cat "${current[@]}" | wc -w)
[ "$words" -le $MAX_WORDS ] || complain "docs/ without results and decisions: $words words, more than $MAX_WORDS"
while read -r words page; do
    [ "$page" = total ] || [ "$words" -le $MAX_MODEL_WORDS ] ||
        complain "$page: $words words, more than $MAX_MODEL_WORDS"
done < <(wc -w docs/model/*.md)
long="^([^:]*:){2}.{$((MAX_COLUMNS + 1)),}"
wide=$({
    grep -nH '' "${current[@]}" CHANGELOG.md
    awk 'FNR == 1 { code = 0 } /^```/ { code = !code } !code && !/^\|/ { print FILENAME ":" FNR ":" $0 }' "${frozen[@]}"
    awk '/^## / { example = /What you see/ } !example { print FILENAME ":" FNR ":" $0 }' README.md
} | grep -E "$long")
[ -z "$wide" ] || complain "lines of more than $MAX_COLUMNS columns:
$wide"

# --- each page of docs/model but the list of them follows the template

for page in docs/model/*.md; do
    [ "$page" = docs/model/README.md ] && continue
    headings=$(sed -n 's/^## //p' "$page" | tr '\n' ' ')
    [ "$headings" = "$TEMPLATE" ] || complain "$page: headings are '$headings', expected '$TEMPLATE'"
done

# --- links resolve, with their anchors as GitHub makes them; to each page some document leads

declare -A anchors reached
while IFS=$'\t' read -r page anchor; do
    anchors[$page#$anchor]=1
done < <(awk 'FNR == 1 { code = 0 } /^```/ { code = !code }
    !code && /^#+ / { sub(/^#+ /, ""); print FILENAME "\t" $0 }' "${all[@]}" README.md |
    sed -E 's/\]\([^)]*\)//g' | while IFS=$'\t' read -r page heading; do
    heading=${heading//[^[:alnum:] _-]/}
    heading=${heading,,}
    printf '%s\t%s\n' "$page" "${heading// /-}"
done)
while IFS=$'\t' read -r page link; do
    case $link in http:* | https:* | mailto:*) continue ;; esac
    target=$page
    if [ -n "${link%%#*}" ]; then
        target=$(dirname "$page")/${link%%#*}
        while [[ $target =~ ^(.*/|)([^/.]+/\.\./)(.*)$ ]]; do target=${BASH_REMATCH[1]}${BASH_REMATCH[3]}; done
        while [[ $target == ./* ]]; do target=${target#./}; done
    fi
    [ -e "$target" ] || {
        complain "$page: $link does not exist"
        continue
    }
    [ "$target" = "$page" ] || reached[$target]=1
    case $link in *#*) [ -n "${anchors[$target#${link#*#}]:-}" ] || complain "$page: $link: no such heading" ;; esac
done < <(awk 'FNR == 1 { code = 0 } /^```/ { code = !code; next } code { next } {
    line = $0
    while (match(line, /\]\([^) ]+\)/)) {
        print FILENAME "\t" substr(line, RSTART + 2, RLENGTH - 3)
        line = substr(line, RSTART + RLENGTH)
    }
}' "${all[@]}" README.md CHANGELOG.md)
for page in "${all[@]}"; do
    case $page in docs/results/*) continue ;; esac # their folder is linked
    [ -n "${reached[$page]:-}" ] || complain "$page: no document leads to it"
done

# --- sources and folders that pages name exist, and pages that sources name

declare -A names
while IFS= read -r file; do
    names[$file]=1
    while [[ $file == */* ]]; do
        file=${file#*/}
        names[$file]=1
    done
done < <(find compensation profiler instrument reporters tests bench docs -type f)
while IFS= read -r found; do
    page=${found%%:*} name=${found#*:\`}
    name=${name%\`}
    case $name in *[*\{]* | [xX].[ch] | test_x.c | *NAME* | main.c | omp-tools.h) continue ;; esac
    [ -n "${names[$name]:-}" ] || complain "$page: there is no $name"
done < <(grep -oHE '`[^` ]+\.(h|c|cc|sh|awk|cmake|map)`' "${current[@]}" docs/decisions/*.md)
while IFS= read -r folder; do
    [ -d "$folder" ] || complain "docs/internals/map.md: there is no folder $folder"
done < <(sed -n 's/^- [^:]*: `\([a-z][a-z_0-9/]*\)`: .*/\1/p' docs/internals/map.md)
while IFS=: read -r file line page; do
    [ -e "$page" ] || complain "$file:$line: $page does not exist"
done < <(grep -rnoE 'docs/[a-z]+(/[a-z0-9_.-]+)*\.md' --include='*.[ch]' --include='*.cc' --include='*.sh' \
    --include='*.cmake' --include=CMakeLists.txt compensation profiler instrument reporters tests bench)

# --- words that the glossary has replaced, and phrases that are true on one day only; code and links are not searched

words='ghosts?|crews?|unrest|dearer|dearest|twins?|whys|parked|parks|spared|in flight|heard|news|blur'
phrases='since then|an hour later|as of now|formerly|nowadays|in former times|used to be|earlier versions'
found=$(awk 'FNR == 1 { code = 0 } /^```/ { code = !code }
    !code { gsub(/`[^`]*`/, ""); gsub(/\]\([^)]*\)/, "]"); print FILENAME ":" FNR ":" $0 }' "${current[@]}" |
    grep -iwE "$words|$phrases")
[ -z "$found" ] || complain "words to replace, see docs/glossary.md:
$found"
exit $bad
