/* A program whose debugging information has all that the reader looks for. It is read, never run. */
struct shop {
    int items;
};
enum amount { FEW, MANY };

static int price(const struct shop *shop, int (*rule)(const char *, ...))
{
    return shop->items * rule("%d");
}

static inline int total(struct shop *shop, int (*rule)(const char *, ...))
{
    return price(shop, rule) + price(shop + 1, rule);
}

__attribute__((noinline)) static int kept(enum amount how, volatile long *sum)
{
    return (int)(*sum += how);
}

int main(int argc, char **argv)
{
    struct shop shops[2] = {{argc}, {(int)(unsigned char)argv[0][0]}};
    long sum = 0;
    return total(shops, 0) + kept(MANY, &sum);
}
