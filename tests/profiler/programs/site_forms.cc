/* Every call of a hook in this program, in whatever form the compiler and the linker gave it, is found, turned off and
 * turned on again, byte by byte. Arguments: how many calls of the enter and of the exit hook its machine code contains.
 */
#include "expect.h"
#include "tests/profiler/site_control.h"

#include <link.h>

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

static struct text {
    const char *at;
    size_t size;
    char *copy;
} text;

static PLAIN int find_text(struct dl_phdr_info *info, size_t, void *)
{
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X))
            text = {(const char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, info->dlpi_phdr[i].p_filesz, nullptr};
    return 1; /* the first is the program */
}

static PLAIN size_t changed_bytes(void)
{
    size_t changed = 0;
    for (size_t i = 0; i < text.size; i++)
        changed += text.at[i] != text.copy[i];
    return changed;
}

static PLAIN int turn_all(bool on, uint32_t sites)
{
    uint32_t left_alone = 0, changed = control_switch(nullptr, (const void *)UINTPTR_MAX, on, &left_alone);
    return changed == sites && left_alone == 0;
}

/* What is called while the hooks are off is not expected in the profile. */
static PLAIN int work_unseen(void)
{
    uint64_t calls[16], n = 0;
    for (struct expect_counter *c = expect_all; c; c = c->next)
        calls[n++] = c->calls;
    int sum = work();
    n = 0;
    for (struct expect_counter *c = expect_all; c; c = c->next)
        c->calls = calls[n++];
    return sum;
}

int main(int, char **arguments)
{
    COUNT();
    dl_iterate_phdr(find_text, nullptr);
    text.copy = static_cast<char *>(malloc(text.size));
    memcpy(text.copy, text.at, text.size);
    int sum = work();
    struct control_found found = {0, 0, 0};
    const void *const functions[] = {(const void *)main, (const void *)leaf,   (const void *)deep,
                                     (const void *)tail, (const void *)throws, (const void *)catches};
    for (const void *function : functions) /* each, where there is no unwind table */
        found = control_find(function);
    CHECK(!found.refused && changed_bytes() == 0);
    printf("%u enters of %s, %u exits of %s\n", found.enters, arguments[1], found.exits, arguments[2]);
    CHECK(found.enters == strtoul(arguments[1], nullptr, 10) && found.exits == strtoul(arguments[2], nullptr, 10));
    uint32_t sites = found.enters + found.exits;
    CHECK(turn_all(false, sites));
    CHECK(changed_bytes() == sites);
    CHECK(work_unseen() == sum);
    CHECK(turn_all(false, 0));
    CHECK(turn_all(true, sites));
    CHECK(changed_bytes() == 0);
    /* one function, and one site after the other */
    const char *function = (const char *)(const void *)leaf;
    uint32_t left_alone = 0, one = control_switch(function, function + 16, false, &left_alone);
    CHECK(one <= 2 && changed_bytes() == one);
    for (const char *at = function; at < function + 16; at++)
        one -= control_switch(at, at + 1, true, &left_alone);
    CHECK(one == 0 && changed_bytes() == 0 && left_alone == 0);
    tail();
    expect_counts();
    EXPECT("most abandoned 200"); /* clang 14 runs no exit hooks on an exception */
    EXPECT("most uncertain 200");
    EXPECT("most unmatched 200"); /* of the parts that are not found, which stayed on */
    EXPECT("nolaw");
    expect_untouched();
    return 0;
}
