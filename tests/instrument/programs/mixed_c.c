/* The C part of mixed.cc. */
#include "expect.h"

int c_function(int x)
{
    COUNT();
    EXPECT("path main>c_function 1");
    return x + 1;
}

int c_calls_back(int (*f)(int), int x)
{
    COUNT();
    return f(x);
}
