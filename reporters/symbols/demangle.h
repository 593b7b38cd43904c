/* Readable names of C++ functions. Thread-safe. */
#ifndef PCOMP_DEMANGLE_H
#define PCOMP_DEMANGLE_H

enum name_form {
    NAMES_SHORT, /* "ns::list<...>::push": no parameters, no type of result, template arguments folded */
    NAMES_FULL,  /* "void ns::list<int>::push<int>(int&&)" */
    NAMES_SCOPE, /* "ns::list<int>::push": as gcc's switches compare names */
};
#define NAME_FORMS "short|full|scope" /* in this order, for options */

/* The demangled name, to be freed; NULL when `linkage` is not a mangled name. */
char *demangle(const char *linkage, enum name_form form);

#endif
