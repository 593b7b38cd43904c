# Of a program with sleds: what turns them off, for there is nothing to build again. Again where the machine is too busy.
command -v clang >/dev/null || exit 77
cat >main.c <<'END'
__attribute__((noinline)) int tiny(int x) { __asm__ volatile(""); return x + 1; }
__attribute__((noinline)) void heavy(void) { for (volatile int i = 0; i < 30000000; i++) ; }
int main(void) { int r = 0; heavy(); for (int i = 0; i < 1000000; i++) r = tiny(r); return r != 1000000; }
END
clang $(pcomp flags clang) -O2 main.c $(pcomp flags clang --link) -o main
for try in 1 2 3 4 5; do
    pcomp record -q --mode full -- ./main
    pcomp advise 2>/dev/null | grep -A1 'has sleds' && break
done
