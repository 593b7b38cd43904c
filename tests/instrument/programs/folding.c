/* Direct and mutual recursion under --fold-recursion: each function is one node a caller, times count once. */
#include "expect.h"

int down(int n)
{
    COUNT();
    return n == 0 ? 0 : down(n - 1) + 1;
}

int pong(int n);
int ping(int n)
{
    COUNT();
    return n == 0 ? 0 : pong(n - 1) + 1;
}

int helper(int n)
{
    COUNT();
    return n;
}

int pong(int n)
{
    COUNT();
    helper(n);
    return n == 0 ? 0 : ping(n - 1) + 1;
}

int tree(int n)
{
    COUNT();
    return n < 2 ? helper(n) : tree(n - 1) + tree(n - 2);
}

int main(void)
{
    COUNT();
    double begin = expect_now_ms();
    CHECK(down(500) == 500);
    CHECK(ping(300) == 300);
    CHECK(tree(15) == 610);
    double all = expect_now_ms() - begin;
    expect_counts();
    EXPECT("path main>down 501");
    EXPECT("path main>down>down 0");
    EXPECT("path main>ping 151");
    EXPECT("path main>ping>pong 150");
    EXPECT("path main>ping>pong>ping 0");
    EXPECT("path main>ping>pong>helper 150");
    EXPECT("path main>tree 1973");
    EXPECT("path main>tree>helper 987");
    EXPECT("elapsed tree 0 %.3f", all);
    EXPECT("most nodes 9");
    EXPECT("closed 1");
    return 0;
}
