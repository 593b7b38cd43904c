/* A function that is called often, and whose time is that of assembly without unwind tables. */
void rounds(unsigned long count);
__asm__(".text\n"
        ".type rounds, @function\n"
        "rounds: sub $1, %rdi\n"
        "jnz rounds\n"
        "ret\n"
        ".size rounds, . - rounds\n");

static volatile int sum;

__attribute__((noinline)) void mix(void)
{
    rounds(2000);
    sum++;
}

int main(void)
{
    for (int i = 0; i < 400000; i++)
        mix();
    return 0;
}
