/* TEN, HUNDRED and THOUSAND apply a macro to the numbers that begin with the digits p and have one, two, three more. */
#ifndef PCOMP_BENCH_MANY_FUNCTIONS_H
#define PCOMP_BENCH_MANY_FUNCTIONS_H

/* clang-format off */
#define TEN(X, p) X(p##0) X(p##1) X(p##2) X(p##3) X(p##4) X(p##5) X(p##6) X(p##7) X(p##8) X(p##9)
#define HUNDRED(X, p)                                                         \
    TEN(X, p##0) TEN(X, p##1) TEN(X, p##2) TEN(X, p##3) TEN(X, p##4)          \
    TEN(X, p##5) TEN(X, p##6) TEN(X, p##7) TEN(X, p##8) TEN(X, p##9)
#define THOUSAND(X, p)                                                        \
    HUNDRED(X, p##0) HUNDRED(X, p##1) HUNDRED(X, p##2) HUNDRED(X, p##3)       \
    HUNDRED(X, p##4) HUNDRED(X, p##5) HUNDRED(X, p##6) HUNDRED(X, p##7)       \
    HUNDRED(X, p##8) HUNDRED(X, p##9)
/* clang-format on */

#endif
