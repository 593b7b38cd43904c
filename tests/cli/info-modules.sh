# What sites a program has, and what its build left out: said by pcomp info, and once before a run that would find none.
cat >loop.h <<"END"
static inline int add(int a, int b) { return a + b; }
END
cat >main.c <<"END"
#include "loop.h"
int sub(int a, int b);
int get_one(void) { return 1; }
int main(void) { return add(1, 2) - sub(4, get_one()); }
END
echo 'int sub(int a, int b) { return a - b; }' >sub.c
run() {
    rm -rf data
    pcomp record -o data -- ./main >/dev/null 2>&1 || echo "status $?"
    pcomp info data | grep -E '/main: |^left out' | sed "s@$PWD/@@"
}
hooks="-g -finstrument-functions"
gcc $hooks main.c sub.c -o main && run
gcc $hooks -finstrument-functions-exclude-file-list=loop.h,other.h,third.h main.c sub.c -o main && run
gcc $hooks -c sub.c -o sub.o
gcc $hooks -finstrument-functions-exclude-file-list=loop.h -finstrument-functions-exclude-function-list=get_one main.c \
    sub.o -o main && run
pcomp info data --format json | grep -o '"modules".*' | sed "s@$PWD/@@"
pcomp info data --format json | grep '"switch"' | sed "s@$PWD/@@"
objcopy --only-keep-debug main main.debug
objcopy --strip-debug --add-gnu-debuglink=main.debug main && run
rm main.debug && run
gcc $hooks main.c sub.c -o main # another program than the one that ran
pcomp info data | grep -c -e '/main: hook' -e '^left out'

# Sleds as a compiler leaves them, in a program that has hook calls, too.
section() { printf '__asm__(".section %s\\n .zero %d\\n .text");\n' "$1" "$2"; }
section 'xray_instr_map,\"a\",@progbits' 96 >map.c
section '.note.pcomp,\"a\",@note' 0 | sed 's/ .zero 0/ .long 6,1,1; .asciz \\"pcomp\\"; .zero 2; .byte 1,0,0,0/' >note.c
gcc $hooks main.c sub.c map.c note.c -o main && run
gcc $hooks main.c sub.c note.c -o main && run
pcomp record -o data -- ./main 2>&1 | grep sleds
