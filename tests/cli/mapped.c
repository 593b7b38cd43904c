/* A program whose map of sleds names one of its functions (pcomp-sleds(5)); it is never run. */
__attribute__((noinline)) static int mapped(int x)
{
    return x + 1;
}

__attribute__((noinline)) static int unmapped(int x)
{
    return x + 2;
}

__asm__(".pushsection xray_instr_map, \"a\", @progbits\n"
        "1: .quad mapped - 1b, mapped - (1b + 8)\n"
        ".byte 0, 0, 2\n"
        ".zero 13\n"
        ".popsection");

int main(int argc, char **argv)
{
    (void)argv;
    return mapped(argc) + unmapped(argc);
}
