#ifndef PCOMP_SLED_CLASSES_H
#define PCOMP_SLED_CLASSES_H

extern int destroyed;

template <class T> T shared(T n);
template <> __attribute__((noinline, noclone)) inline long shared<long>(long n) __asm__("shared_long");
template <> inline long shared<long>(long n)
{
    return 2 * n;
}

int other_file(int n);

#endif
