/* Run by `pcomp calibrate`: calls that are instrumented, so that the library starts, calibrates and leaves a profile.
 * Nothing is measured here; the command reads the calibration out of that profile. */
static volatile unsigned calls;

__attribute__((noinline)) static void called(void)
{
    calls++;
}

int main(void)
{
    for (int i = 0; i < 1000; i++)
        called();
    return calls == 1000 ? 0 : 1;
}
