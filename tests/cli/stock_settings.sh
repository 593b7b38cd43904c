# shellcheck shell=sh
# What systems are set to that measuring meets; sourced by the cases record-stock-*.
#
# in_namespace COMMAND: runs it by sh where mounts are its own; says so and ends the case where that is not allowed.
in_namespace() {
    unshare -m true 2>/dev/null || unshare -rm true 2>/dev/null || skip "no mount namespaces here"
    if unshare -m true 2>/dev/null; then unshare -m sh -c "$1"; else unshare -rm sh -c "$1"; fi
}
# What was counted of hot, rare and main; and what is said of sites.
counted() {
    pcomp report "$@" --format csv 2>/dev/null |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $1 ~ /^[a-z]/ { print $1, $at["N"] }' | sort
    pcomp info 2>&1 | grep -o 'the sites of 1 module cannot be switched' || true
}
