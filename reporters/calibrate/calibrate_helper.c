/* Run by `pcomp calibrate`: calls that are instrumented, so that the library starts, calibrates and leaves a profile.
 * The command reads the calibration out of that profile, and
 * `pcomp predict` what a call costs at which the clock is read. */
static volatile unsigned calls;

__attribute__((noinline)) static void called(void)
{
    calls++;
}

/* Takes longer than the segments that may be counted blindly: the clock is read at each of its calls. */
__attribute__((noinline)) static void rested(void)
{
    for (int i = 0; i < 4000; i++)
        __asm__ volatile("" ::: "memory");
}

int main(void)
{
    for (int i = 0; i < 100; i++)
        rested();
    for (int i = 0; i < 1000; i++)
        called();
    return calls == 1000 ? 0 : 1;
}
