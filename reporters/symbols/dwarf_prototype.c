#include "reporters/symbols/dwarf_prototype.h"

#include <dwarf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 32 /* of types; damaged DWARF may have a type that consists of itself */

struct writer {
    struct prototype_tags *tags;
    const char *why; /* the first reason why not */
};

static char *fail(struct writer *writer, const char *why)
{
    if (!writer->why)
        writer->why = why;
    return NULL;
}

static char *join(struct writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));
static char *join(struct writer *writer, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return length < 0 ? fail(writer, "out of memory") : text;
}

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, type);
}

static bool flag_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    bool flag = false;
    return dwarf_attr_integrate(die, name, &attribute) && dwarf_formflag(&attribute, &flag) == 0 && flag;
}

static char *tagged(struct writer *writer, Dwarf_Die *type, const char *kind, const char *inner)
{
    const char *name = dwarf_diename(type);
    if (!name)
        return fail(writer, "a type without a tag");
    if (!strncmp(name, "__va_list", 9))
        return fail(writer, "a va_list");
    char *tag = join(writer, "%s %s", kind, name);
    if (!tag)
        return NULL;
    struct prototype_tags *tags = writer->tags;
    size_t i = 0;
    while (i < tags->count && strcmp(tags->texts[i], tag) != 0)
        i++;
    char *text = join(writer, "%s %s", tag, inner);
    char **grown = i < tags->count ? NULL : reallocarray(tags->texts, tags->count + 1, sizeof *grown);
    if (grown) {
        tags->texts = grown;
        tags->texts[tags->count++] = tag;
    } else
        free(tag);
    return text;
}

static char *declare(struct writer *writer, Dwarf_Die *type, const char *inner, int depth);

/* `inner` with the parameters of a function behind it, as its result's type declares it. */
static char *declare_function(struct writer *writer, Dwarf_Die *function, const char *inner, int depth)
{
    Dwarf_Die die, type;
    char *text = join(writer, "%s(", inner);
    const char *comma = "";
    bool more = text && dwarf_child(function, &die) == 0;
    while (more && text) {
        char *longer = NULL, *parameter = NULL;
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_formal_parameter || tag == DW_TAG_unspecified_parameters) {
            if (tag == DW_TAG_unspecified_parameters)
                parameter = join(writer, "...");
            else if (type_of(&die, &type))
                parameter = declare(writer, &type, "", depth + 1);
            if (parameter)
                longer = join(writer, "%s%s%s", text, comma, parameter);
            else
                fail(writer, "a type that is not known");
            free(parameter);
            free(text);
            text = longer;
            comma = ", ";
        }
        more = dwarf_siblingof(&die, &die) == 0;
    }
    if (!text)
        return NULL;
    char *whole = join(writer, "%s%s)", text, !*comma && flag_of(function, DW_AT_prototyped) ? "void" : "");
    free(text);
    if (!whole)
        return NULL;
    char *result = type_of(function, &type) ? declare(writer, &type, whole, depth + 1) : join(writer, "void %s", whole);
    free(whole);
    return result;
}

static char *declare_pointer(struct writer *writer, Dwarf_Die *pointer, const char *inner, int depth)
{
    Dwarf_Die type, target;
    bool known = type_of(pointer, &type);
    bool function = known && dwarf_peel_type(&type, &target) == 0 && dwarf_tag(&target) == DW_TAG_subroutine_type;
    char *declarator = join(writer, function ? "(*%s)" : "*%s", inner);
    if (!declarator)
        return NULL;
    char *text = known ? declare(writer, &type, declarator, depth + 1) : join(writer, "void %s", declarator);
    free(declarator);
    return text;
}

static char *qualified(struct writer *writer, Dwarf_Die *type, const char *qualifier, const char *inner, int depth)
{
    Dwarf_Die target;
    char *declarator = join(writer, "%s %s", qualifier, inner);
    if (!declarator)
        return NULL;
    char *text =
        type_of(type, &target) ? declare(writer, &target, declarator, depth + 1) : join(writer, "void %s", declarator);
    free(declarator);
    return text;
}

/* The declaration of `inner`, a declarator, as being of that type. NULL: cannot be expressed. */
static char *declare(struct writer *writer, Dwarf_Die *type, const char *inner, int depth)
{
    Dwarf_Die target;
    const char *name;
    if (depth > DEPTH_MAX)
        return fail(writer, "a type that is too deep");
    switch (dwarf_tag(type)) {
    case DW_TAG_base_type:
        name = dwarf_diename(type);
        if (!name || strstr(name, "complex"))
            return fail(writer, "a complex number");
        return join(writer, "%s %s", strcmp(name, "bool") == 0 ? "_Bool" /* before C23 */ : name, inner);
    case DW_TAG_typedef:
        return type_of(type, &target) ? declare(writer, &target, inner, depth + 1) : join(writer, "void %s", inner);
    case DW_TAG_enumeration_type: /* compatible with its integer type */
        return type_of(type, &target) ? declare(writer, &target, inner, depth + 1)
                                      : fail(writer, "an enumeration of unknown size");
    case DW_TAG_pointer_type:
        return declare_pointer(writer, type, inner, depth);
    case DW_TAG_const_type:
        return qualified(writer, type, "const", inner, depth);
    case DW_TAG_volatile_type:
        return qualified(writer, type, "volatile", inner, depth);
    case DW_TAG_restrict_type:
        return qualified(writer, type, "restrict", inner, depth);
    case DW_TAG_structure_type:
        return tagged(writer, type, "struct", inner);
    case DW_TAG_union_type:
        return tagged(writer, type, "union", inner);
    case DW_TAG_subroutine_type:
        return declare_function(writer, type, inner, depth);
    default:
        return fail(writer, "an array or another type without a name");
    }
}

static bool is_c(Dwarf_Die *function)
{
    Dwarf_Die unit;
    int language = dwarf_diecu(function, &unit, NULL, NULL) ? dwarf_srclang(&unit) : -1;
    switch (language) {
    case DW_LANG_C:
    case DW_LANG_C89:
    case DW_LANG_C99:
    case DW_LANG_C11:
        return true;
    default:
        return false;
    }
}

char *dwarf_prototype(Dwarf_Die *function, struct prototype_tags *tags, const char **why)
{
    struct writer writer = {.tags = tags};
    Dwarf_Attribute attribute;
    Dwarf_Word inlined = DW_INL_not_inlined;
    const char *name = dwarf_diename(function);
    bool external = flag_of(function, DW_AT_external);
    if (dwarf_attr_integrate(function, DW_AT_inline, &attribute))
        dwarf_formudata(&attribute, &inlined);
    char *text = NULL;
    if (!name || !is_c(function))
        fail(&writer, "not a C function");
    else if (external && inlined == DW_INL_declared_inlined)
        fail(&writer, "declared inline: a declaration without it would make another copy");
    else {
        text = declare_function(&writer, function, name, 0);
        char *whole = text && !external ? join(&writer, "static %s", text) : NULL;
        if (!external) {
            free(text);
            text = whole;
        }
    }
    *why = writer.why ? writer.why : "out of memory";
    return text;
}

void prototype_tags_free(struct prototype_tags *tags)
{
    for (size_t i = 0; i < tags->count; i++)
        free(tags->texts[i]);
    free(tags->texts);
    *tags = (struct prototype_tags){NULL, 0};
}
