/* The hash of names and identities, which files have: it is FNV-1a (its authors' test vectors), and no other. */
#include "compensation/numeric/hash.h"

#include <criterion/criterion.h>
#include <string.h>

Test(hash, is_fnv_1a)
{
    static const struct {
        const char *text;
        uint64_t hash;
    } cases[] = {{"", 0xcbf29ce484222325u}, {"a", 0xaf63dc4c8601ec8cu}, {"foobar", 0x85944171f73967e8u}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_eq(pcomp_hash_text(PCOMP_HASH_START, cases[i].text), cases[i].hash, "%s", cases[i].text);
        cr_expect_eq(pcomp_hash_bytes(PCOMP_HASH_START, cases[i].text, strlen(cases[i].text)), cases[i].hash);
    }
}

Test(hash, parts_are_hashed_as_the_whole)
{
    uint64_t whole = pcomp_hash_text(PCOMP_HASH_START, "foobar");

    cr_expect_eq(pcomp_hash_text(pcomp_hash_text(PCOMP_HASH_START, "foo"), "bar"), whole);
}
