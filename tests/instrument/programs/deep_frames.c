/* `around` is called often, and calls a loop from deeper in the stack than perf's samples keep of it. Samples behind
 * the last tick, of four milliseconds at most, are read when it has ended: theirs are not known. */
enum { DEPTH = 12000, CALLS = 400000 };

static volatile unsigned sum;

__attribute__((noinline, no_instrument_function)) static void loop(void)
{
    for (unsigned i = 0; i < 2000; i++)
        sum += i;
}

__attribute__((noinline, no_instrument_function)) static void go_deep(void (*f)(void))
{
    volatile char deep[DEPTH];
    deep[0] = deep[DEPTH - 1] = 0;
    f();
    deep[1] = 0;
}

__attribute__((noinline)) void around(void)
{
    go_deep(loop);
    sum++;
}

int main(void)
{
    for (int i = 0; i < CALLS; i++)
        around();
    return 0;
}
