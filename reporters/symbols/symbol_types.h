/* Source lines and scopes of addresses, as the readers of DWARF find them. */
#ifndef PCOMP_SYMBOL_TYPES_H
#define PCOMP_SYMBOL_TYPES_H

#include <stdbool.h>
#include <stdint.h>

struct source_line {
    const char *file; /* as the compiler noted it, made absolute; NULL unknown; lives as long as the struct symbols */
    unsigned line;
};

struct line_query {
    uint64_t address;
    bool is_function; /* the line where the function that begins there is defined; else the line of the instruction */
    uint32_t tag;     /* of the caller */
    struct source_line line; /* the answer */
};

struct symbol_scope {      /* a function that an instruction belongs to; texts live as long as the struct symbols */
    const char *name;      /* linkage name, or the bare one where debug information has no other; NULL unknown */
    const char *file;      /* where it is defined; NULL unknown */
    const char *call_file; /* where it is inlined into the next one; NULL: it is not, or unknown */
    unsigned line;         /* of the definition; 0 unknown */
    unsigned call_line;    /* of the call in call_file */
};

#endif
