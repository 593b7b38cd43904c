// C++: exceptions, constructors before main, destructors after it, virtual calls, templates, C code beside it.
// EXITS_RUN: the compiler runs the exit hooks of functions that an exception leaves.
#include "expect.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" int c_function(int x);
extern "C" int c_calls_back(int (*f)(int), int x);

extern "C" int early(int x)
{
    COUNT();
    return x + 1;
}

extern "C" void late()
{
    COUNT();
    expect_counts();
}

struct Static {
    int value;
    Static() : value(early(41)) {}
    ~Static() { late(); }
};
static Static before_main;

extern "C" int leaf(int x)
{
    COUNT();
    return x * 2;
}

extern "C" int may_throw(int depth, int x)
{
    COUNT();
    if (depth == 0)
        throw std::runtime_error("thrown");
    return may_throw(depth - 1, x) + leaf(x);
}

struct Cleanup {
    ~Cleanup() { leaf(3); }
};

extern "C" int with_cleanup(int depth)
{
    COUNT();
    Cleanup c;
    return may_throw(depth, 1);
}

extern "C" int catches(int depth)
{
    COUNT();
    try {
        return with_cleanup(depth);
    } catch (const std::exception &) {
        leaf(1);
    }
    return leaf(2);
}

extern "C" int rethrows(int depth)
{
    COUNT();
    try {
        may_throw(depth, 0);
    } catch (...) {
        leaf(4);
        throw;
    }
    return 0;
}

extern "C" int outer(int depth)
{
    COUNT();
    int r = 0;
    try {
        rethrows(depth);
    } catch (const std::runtime_error &) {
        r = leaf(5);
    }
    return r + leaf(6);
}

extern "C" int back(int x)
{
    COUNT();
    return leaf(x);
}

struct Shape {
    virtual ~Shape() {}
    virtual int area() const = 0;
};

extern "C" int area_of(int x)
{
    COUNT();
    return x;
}

struct Square : Shape {
    int area() const override { return area_of(4); }
};

template <typename T> T twice(T x)
{
    return x + x;
}

int main()
{
    COUNT();
    CHECK(before_main.value == 42);
    for (int i = 0; i < 200; i++) {
        CHECK(catches(i % 7) == 4);
        leaf(7);
        CHECK(outer(i % 5) == 22);
    }
    CHECK(c_function(1) == 2);
    CHECK(c_calls_back(back, 3) == 6);
    Square s;
    const Shape *shape = &s;
    CHECK(shape->area() == 4 && twice(4) == 8);
    std::vector<int> v = {3, 1, 2};
    std::sort(v.begin(), v.end(), [](int a, int b) { return a < b; });
    CHECK(v[0] == 1);
#ifndef BY_ADDRESS // the static library does not see catch clauses
    EXPECT("path main>catches 200");
    EXPECT("path main>leaf 200");
    EXPECT("path main>outer>leaf 400");
    EXPECT("path main>outer>rethrows>leaf 200");
    EXPECT("path main>c_calls_back>back>leaf 1");
    EXPECT("path main>catches>with_cleanup 200");
    EXPECT("path main>catches>leaf 400");
#endif
#ifdef EXITS_RUN
    EXPECT("abandoned 0");
    EXPECT("uncertain 0");
#else          // destructors run before the catch clause tells where the exception went
    EXPECT("nolaw");
#ifdef COUNTED // where levels fall early, none of them may be timed
    EXPECT("least abandoned 0");
#else
    EXPECT("least abandoned 400");
#endif
    EXPECT("most uncertain 1800");
#endif
    EXPECT("closed 1");
    return 3;
}
