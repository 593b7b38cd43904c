/* Calls of hooks in many forms. Every one in this program's machine code is found, whatever the compiler and the linker
 * made of it (site_forms.sh). */
#include "expect.h"

#define NAMED extern "C" __attribute__((noinline)) /* found by name in the profile */

static volatile int sink;

NAMED int leaf(int x)
{
    COUNT();
    return x + sink;
}

static inline int inlined(int x)
{
    return leaf(x) * 2;
}

struct guard { /* its destructor runs in the middle of others, and when they are left by an exception */
    ~guard() { sink = 0; }
};

NAMED int throws(int x)
{
    COUNT();
    guard g;
    if (x > 100)
        throw x;
    return inlined(x);
}

NAMED int catches(int x)
{
    COUNT();
    try {
        return throws(x) + throws(x + 100);
    } catch (int caught) {
        return caught;
    }
}

NAMED void tail(void) /* its exit hook is called by a jump */
{
    COUNT();
    sink = 0;
}

NAMED int deep(int x)
{
    COUNT();
    return x > 0 ? deep(x - 1) + 1 : leaf(0);
}

static PLAIN int work(void)
{
    int sum = 0;
    for (int i = 0; i < 50; i++) {
        sum += leaf(i) + catches(i) + deep(i % 7);
        tail();
    }
    return sum;
}

int main(void)
{
    COUNT();
    CHECK(work() == work());
    expect_counts();
    EXPECT("most abandoned 200"); /* clang 14 runs no exit hooks on an exception */
    EXPECT("most uncertain 200");
    EXPECT("most unmatched 200"); /* of the parts that are not found, which are not led to slots */
    EXPECT("nolaw");
    expect_untouched();
    return 0;
}
