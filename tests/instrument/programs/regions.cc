// pcomp.h from C++: regions, pauses, snapshots; the same source is compiled as C, and with PCOMP_DISABLE.
#include "expect.h"
#include "instrument/pcomp.h"

static const char region_a[] = "region a", region_b[] = "region_b";

#ifdef __cplusplus
extern "C" {
#endif
int leaf(int x)
{
    COUNT();
    return x;
}

int hidden(int x)
{
    return leaf(x) + 1;
}

int half_hidden(void)
{
    COUNT();
    double own = expect_spin(5);
    pcomp_pause();
    pcomp_pause();
    for (int i = 0; i < 10; i++)
        hidden(i);
    expect_spin(100);
    pcomp_resume();
    hidden(1);
    pcomp_resume();
    own += expect_spin(5);
#ifndef PCOMP_DISABLE
    EXPECT("elapsed half_hidden %.3f %.3f", own, own + 50);
#endif
    (void)own;
    return leaf(1);
}

void early_return(int x)
{
    COUNT();
    pcomp_region_begin(region_b);
    if (x)
        return; /* the region is never ended */
    pcomp_region_end(region_b);
}

int main(void)
{
    COUNT();
    for (int i = 0; i < 100; i++) {
        pcomp_region_begin("region_c");
        leaf(i);
        pcomp_region_begin(region_b);
        leaf(i);
        pcomp_region_end(region_b);
        pcomp_region_end("region_c");
    }
    pcomp_region_begin(region_a);
    pcomp_region_end("never begun");
    pcomp_region_end(region_a);
    early_return(0);
    errno = 66;
    int leaves_before = 0;
    half_hidden();
    CHECK(errno == 66);
    (void)leaves_before;
#ifndef PCOMP_DISABLE
#ifdef TRACED /* there is no profile to copy */
#define SNAPSHOT(label) (pcomp_snapshot(label) == -1 && errno == ENODATA)
#else
#define SNAPSHOT(label) (pcomp_snapshot(label) == 0)
#endif
    CHECK(SNAPSHOT("first"));
    CHECK(pcomp_snapshot("") == -1 && errno == EINVAL);
    CHECK(pcomp_snapshot("a/b") == -1 && errno == EINVAL);
    leaf(1);
    CHECK(SNAPSHOT("second"));
    EXPECT("path main>region_c 100");
    EXPECT("path main>region_c>leaf 100");
    EXPECT("path main>region_c>region_b>leaf 100");
    EXPECT("path main>early_return>region_b 1");
#ifdef COUNTED /* a pause is of times alone */
    EXPECT("calls hidden 11");
    EXPECT("calls leaf 213");
#else
    EXPECT("calls hidden 0");
    EXPECT("calls leaf 202");
#endif
    EXPECT("calls half_hidden 1");
    EXPECT("path main>half_hidden>leaf 1");
    EXPECT("least paused_ms 100");
    EXPECT("unmatched 1");
    EXPECT("closed 1");
    EXPECT("nolaw");
#endif
    expect_untouched();
    return 0;
}
#ifdef __cplusplus
}
#endif
