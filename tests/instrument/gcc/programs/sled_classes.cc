/* What C++ adds: exceptions, destructors, thunks, functions that several files share, static objects. */
#include "tests/instrument/gcc/sled_patcher.h"

#include "tests/instrument/gcc/programs/sled_classes.h"

#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>

#define SEEN __attribute__((noinline, noclone, used))

static int failures;

static __attribute__((no_instrument_function)) void same(const char *what, long found, long expected)
{
    if (found != expected) {
        std::printf("%s: %ld, expected %ld\n", what, found, expected);
        failures++;
    }
}

extern "C" {
SEEN void thrower(int n)
{
    if (n > 2)
        throw std::runtime_error(std::to_string(n));
}
SEEN void guard_end()
{
    destroyed++;
}
SEEN int middle(int n)
{
    struct guard {
        ~guard() { guard_end(); }
    } guard;
    thrower(n);
    return n;
}
SEEN int catcher(int n)
{
    int caught = 0;
    for (int i = 0; i < n; i++) {
        try {
            middle(i);
        } catch (const std::exception &e) {
            caught += e.what()[0] - '0';
        }
    }
    return caught;
}
}

struct first {
    virtual ~first() {}
    virtual int one() { return 1; }
};
struct second {
    int pad = 0;
    virtual ~second() {}
    virtual int two() { return 2; }
};
struct both : first, second {
    int value = 5;
    SEEN int one() override __asm__("both_one");
    SEEN int two() override __asm__("both_two");
};
int both::one()
{
    return value;
}
int both::two()
{
    return value + 1;
}

static SEEN int by_second(second *s)
{
    return s->two();
}
static SEEN int by_first(first *s)
{
    return s->one();
}

struct with_static {
    SEEN with_static() __asm__("with_static_start") { made++; }
    static int made;
};
int with_static::made;
static with_static object;

__attribute__((no_instrument_function)) int main()
{
    sleds_patch();
    same("catcher", catcher(6), 3 + 4 + 5);
    same("destroyed", destroyed, 6);
    both b;
    for (int i = 0; i < 3; i++)
        same("virtual", by_first(&b) + by_second(&b), 11);
    same("shared", shared<long>(3) + other_file(4), 6 + 8 + 1);
    int seen = 0;
    std::function<void(int)> add = [&seen](int n) { seen += n; };
    add(3), add(4);
    same("lambda", seen, 7);
    same("static object", object.made, 1);

    sleds_expect("catcher", 1, 1);
    sleds_expect("middle", 6, 3);
    sleds_expect("thrower", 6, 3);
    sleds_expect("guard_end", 6, 6);
    sleds_expect("both_one", 3, 3);
    same("calls of both_two", sleds_entries("both_two"), 3);
    sleds_expect("shared_long", 2, 2); // one copy in the program, although two files have it
    same("copies of shared", sleds_functions("shared_long"), 1);
    return failures + sleds_failures() ? 1 : 0;
}
