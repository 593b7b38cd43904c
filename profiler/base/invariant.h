/* Conditions that hold in every run; debug and sanitizer builds end the program where one does not. */
#ifndef PCOMP_INVARIANT_H
#define PCOMP_INVARIANT_H

#ifdef PCOMP_INVARIANTS
#define INVARIANT(condition) ((condition) ? (void)0 : __builtin_trap())
#else
#define INVARIANT(condition) ((void)0)
#endif

#endif
