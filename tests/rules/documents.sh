#!/bin/bash
# documents.sh SOURCE: the documents keep their limits of length, their template and their words, and what they refer to
# exists. Sources are not searched for words here: docs/glossary.md is for them as well, but not all are mended.
set -u
cd "$1" || exit 2
export LC_ALL=C.UTF-8
bad=0
complain() {
    echo "$1"
    bad=1
}

MAX_WORDS=20000     # of docs/ without results and decisions
MAX_MODEL_WORDS=1200 # of a page of docs/model
MAX_COLUMNS=120
TEMPLATE="Symbols Assumptions Equations Code When it fails Constants"

all=$(find docs -name '*.md' | sort)
frozen=$(find docs/results docs/decisions -name '*.md' | sort)
current=$(printf '%s\n' $all | grep -vE '^docs/(results|decisions)/')

# Length. Tables of results and decisions may be wider; README's example is what a run printed.
words=$(cat $current | wc -w)
[ "$words" -le $MAX_WORDS ] || complain "docs/ without results and decisions: $words words, more than $MAX_WORDS"
for page in docs/model/*.md; do
    words=$(wc -w <"$page")
    [ "$words" -le $MAX_MODEL_WORDS ] || complain "$page: $words words, more than $MAX_MODEL_WORDS"
done
grep -nE "^.{$((MAX_COLUMNS + 1)),}" $current CHANGELOG.md && complain "lines of more than $MAX_COLUMNS columns (above)"
for page in $frozen; do
    awk '/^```/ { code = !code } { print code || /^[|]/ ? "" : $0 }' "$page" | grep -nE "^.{$((MAX_COLUMNS + 1)),}" &&
        complain "$page: lines of more than $MAX_COLUMNS columns (above)"
done
awk '/^## / { example = /What you see/ } { print example ? "" : $0 }' README.md |
    grep -nE "^.{$((MAX_COLUMNS + 1)),}" && complain "README.md: lines of more than $MAX_COLUMNS columns (above)"

# Each page of docs/model but the list of them follows the template.
for page in docs/model/*.md; do
    [ "$page" = docs/model/README.md ] && continue
    headings=$(sed -n 's/^## //p' "$page" | tr '\n' ' ')
    [ "$headings" = "$TEMPLATE " ] || complain "$page: headings are '$headings', expected '$TEMPLATE '"
done

# Links resolve, with their anchors as GitHub makes them; a page that none leads to is not found by a reader.
anchors() {
    awk '/^```/ { code = !code } !code && /^#+ / { sub(/^#+ /, ""); print tolower($0) }' "$1" |
        sed -E 's/\]\([^)]*\)//g; s/[^[:alnum:] _-]//g; s/ /-/g'
}
links() { awk '/^```/ { code = !code } !code' "$1" | grep -oE '\]\([^) ]+\)' | sed 's/^](//; s/)$//'; }
reached=$(mktemp)
trap 'rm -f "$reached"' EXIT
for page in README.md CHANGELOG.md $all; do
    while IFS= read -r link; do
        case $link in http:* | https:* | mailto:*) continue ;; esac
        file=${link%%#*}
        target=$page
        [ -z "$file" ] || target=$(realpath -m --relative-to=. "$(dirname "$page")/$file")
        [ -e "$target" ] || {
            complain "$page: $link does not exist"
            continue
        }
        [ "$target" = "$page" ] || echo "$target" >>"$reached"
        case $link in
        *#*) anchors "$target" | grep -qxF -- "${link#*#}" || complain "$page: $link: no such heading" ;;
        esac
    done < <(links "$page")
done
for page in $all; do
    case $page in docs/results/*) continue ;; esac # a folder is linked
    grep -qxF "$page" "$reached" || complain "$page: no document leads to it"
done

# Sources, tests and folders that pages name exist.
tree=$(find compensation profiler instrument reporters tests bench docs -type f)
names=$(printf '%s\n' "$tree" | sed 's@.*/@@' | sort -u)
for page in $current docs/decisions/*.md; do
    for name in $(grep -oE '`[^` ]+\.(h|c|cc|sh|awk|cmake|map)`' "$page" | tr -d '`' | grep -v '[*{]' | sort -u); do
        case $name in
        [xX].[ch] | test_x.c | *NAME* | main.c | omp-tools.h | */usr/*) ;;
        pcomp.h) ;;
        */*) [ -e "$name" ] || printf '%s\n' "$tree" | grep -q "/$name\$" || complain "$page: there is no $name" ;;
        *) printf '%s\n' "$names" | grep -qxF "$name" || complain "$page: there is no $name" ;;
        esac
    done
done
sed -n 's/^- [^:]*: `\([a-z][a-z_0-9/]*\)`: .*/\1/p' docs/internals/map.md | while IFS= read -r folder; do
    [ -d "$folder" ] || echo "docs/internals/map.md: there is no folder $folder"
done | grep . && bad=1
grep -rnoE 'docs/[a-z]+(/[a-z0-9_.-]+)*\.md' --include='*.[ch]' --include='*.cc' --include='*.sh' --include='CMakeLists.txt' \
    compensation profiler instrument reporters tests bench | while IFS=: read -r file line page; do
    [ -e "$page" ] || echo "$file:$line: $page does not exist"
done | grep . && bad=1

# Words that the glossary has replaced, and words that make sense on one day only. Code is not searched.
words='ghosts?|crews?|unrest|dearer|dearest|twins?|whys|parked|parks|spared|in flight|heard|news|blur|settled? time'
phrases='since then|an hour later|until now|as of now|formerly|nowadays|in former times|used to be|earlier versions'
for page in $current; do
    found=$(awk '/^```/ { code = !code } { print code ? "" : $0 }' "$page" | sed 's/`[^`]*`//g; s/([^) ]*)//g' |
        grep -niwE "$words|$phrases")
    [ -z "$found" ] || complain "$page: words to replace (docs/glossary.md):
$found"
done
exit $bad
