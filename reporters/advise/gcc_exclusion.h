/* gcc's -finstrument-functions-exclude-function-list and -exclude-file-list: which text to give for a function, and how
 * to write it.
 *
 * gcc (gimplify.cc) leaves a function out when an item of the list is a substring of its name as the user sees it: in C
 * the identifier, in C++ with scope and template arguments, but without parameters ("ns::list<int>::push"). Template
 * arguments are printed otherwise than the demangler prints them (defaults omitted, "long int" for "long"), and so are
 * anonymous namespaces, lambdas and functions that enclose a class. So an item is the part of a name that has none of
 * them. Of files, an item is a substring of the path as the compiler was given it. Pure functions; results are
 * malloc'ed, NULL: out of memory. */
#ifndef PCOMP_GCC_EXCLUSION_H
#define PCOMP_GCC_EXCLUSION_H

#include <stdbool.h>

#define GCC_FUNCTION_LIST "-finstrument-functions-exclude-function-list="
#define GCC_FILE_LIST     "-finstrument-functions-exclude-file-list="

/* The name that items are compared with, as far as it can be known. */
char *gcc_visible_name(const char *linkage);

/* The item that leaves out the function with this linkage name; "" when there is none. */
char *gcc_item(const char *linkage);

/* Items in a list are separated by commas: text with \ before its commas. */
char *gcc_list_text(const char *text);

/* As one word of a shell's command line, or of a response file (@FILE): quoted where it has to be. */
char *shell_word(const char *text);
char *response_word(const char *text);

#endif
