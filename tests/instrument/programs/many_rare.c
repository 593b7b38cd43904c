/* One function is called so often that a trace counts it in place; then sixty in turns. */
#define TEN(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define SIXTY(X)  TEN(X, 1) TEN(X, 2) TEN(X, 3) TEN(X, 4) TEN(X, 5) TEN(X, 6)

#define FUNCTION(n)                                                                                                    \
    int called_##n(int x)                                                                                              \
    {                                                                                                                  \
        __asm__ volatile("");                                                                                          \
        return x + 1;                                                                                                  \
    }
SIXTY(FUNCTION)

#define NAME(n) called_##n,
static int (*const functions[])(int) = {SIXTY(NAME)};

int often(int x);

static inline __attribute__((always_inline, no_instrument_function)) int work(int x)
{
    for (int i = 0; i < 3000000; i++)
        x = often(x);
    for (int i = 0; i < 1200000; i++)
        x = functions[i % 60](x);
    return x;
}

static int below; /* the work is done below a first call of it, which lasts */

int often(int x)
{
    __asm__ volatile("");
    if (!below)
        return x + 1;
    below = 0;
    return work(x);
}

int main(int argc, char **argv)
{
    (void)argv;
    below = argc > 1;
    return (below ? often(0) : work(0)) != 4200000;
}
