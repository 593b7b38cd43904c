# The link: -L and a run-time path only where they are needed; the library is kept though nothing refers to it.
library=$(dirname "$(pcomp info --build --format json | grep -o '"library": "[^"]*' | cut -d'"' -f4)")
short() { sed "s@$library@LIBDIR@g"; }
pcomp flags gcc --hooks --link | short
pcomp flags g++ --hooks --link | short
pcomp flags clang --link | short
pcomp flags clang --hooks --link | short
LIBRARY_PATH=$library pcomp flags gcc --hooks --link | short
pcomp flags "gcc -L$library -Wl,-rpath,$library" --hooks --link | short
LD_LIBRARY_PATH=$library pcomp flags gcc --hooks --link | short
pcomp flags "gcc -static" --hooks --link | short
pcomp flags "clang -static" --link | short
pcomp flags "gcc -nostdlib" --hooks --link | short
mkdir empty
pcomp flags "gcc -Lempty -L$library" --hooks --link | short
pcomp flags "gcc -m32" --hooks --link 2>&1 | short

# One line does for the shell, and the program starts.
echo 'int work(int n) { return n * 3; } int main(int argc, char **argv) { (void)argv; return work(argc) - 3; }' >main.c
gcc $(pcomp flags gcc --hooks) -O2 main.c -Wl,--as-needed $(pcomp flags gcc --hooks --link) -o main && ./main 2>/dev/null
echo $?
pcomp report --format csv --sort name 2>/dev/null | columns name line
