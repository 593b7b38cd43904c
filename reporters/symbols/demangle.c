#include "reporters/symbols/demangle.h"

#include <libiberty/demangle.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A demangled name can be exponentially longer than its symbol; such symbols are left as they are. */
#define LINKAGE_MAX 16384u
#define STEPS_MAX   1000u /* components of one name that are folded; a name of more is shown with its scopes */

static bool is_mangled(const char *linkage)
{
    return (!strncmp(linkage, "_Z", 2) || !strncmp(linkage, "___Z", 4)) && strlen(linkage) <= LINKAGE_MAX;
}

struct folding {
    struct demangle_component dots; /* stands for what is left out */
    unsigned steps;
};

static struct demangle_component *fold(struct folding *f, struct demangle_component *c);

static void fold_left(struct folding *f, struct demangle_component *c)
{
    c->u.s_binary.left = fold(f, c->u.s_binary.left);
}

/* What is left of a component: functions without their types, templates and lambdas with "..." for their arguments.
 * Arguments are never descended into: components that they share are visited once. */
static struct demangle_component *fold(struct folding *f, struct demangle_component *c)
{
    if (!c || ++f->steps > STEPS_MAX)
        return c;
    switch (c->type) {
    case DEMANGLE_COMPONENT_TYPED_NAME:
    case DEMANGLE_COMPONENT_RESTRICT_THIS:
    case DEMANGLE_COMPONENT_VOLATILE_THIS:
    case DEMANGLE_COMPONENT_CONST_THIS:
    case DEMANGLE_COMPONENT_REFERENCE_THIS:
    case DEMANGLE_COMPONENT_RVALUE_REFERENCE_THIS:
        return fold(f, c->u.s_binary.left);
    case DEMANGLE_COMPONENT_TEMPLATE:
        fold_left(f, c);
        c->u.s_binary.right = &f->dots;
        return c;
    case DEMANGLE_COMPONENT_QUAL_NAME:
    case DEMANGLE_COMPONENT_LOCAL_NAME:
        fold_left(f, c);
        c->u.s_binary.right = fold(f, c->u.s_binary.right);
        return c;
    case DEMANGLE_COMPONENT_CLONE:
    case DEMANGLE_COMPONENT_TAGGED_NAME:
    case DEMANGLE_COMPONENT_THUNK:
    case DEMANGLE_COMPONENT_VIRTUAL_THUNK:
    case DEMANGLE_COMPONENT_COVARIANT_THUNK:
        fold_left(f, c);
        return c;
    case DEMANGLE_COMPONENT_CTOR:
        c->u.s_ctor.name = fold(f, c->u.s_ctor.name);
        return c;
    case DEMANGLE_COMPONENT_DTOR:
        c->u.s_dtor.name = fold(f, c->u.s_dtor.name);
        return c;
    case DEMANGLE_COMPONENT_LAMBDA:
        c->u.s_unary_num.sub = &f->dots;
        return c;
    default:
        return c;
    }
}

/* NULL: the name cannot be folded. */
static char *demangle_short(const char *linkage)
{
    struct folding folding = {.steps = 0};
    void *memory = NULL;
    size_t size;
    struct demangle_component *c =
        cplus_demangle_v3_components(linkage + (linkage[1] == '_' ? 2 : 0), DMGL_ANSI, &memory);
    if (!c)
        return NULL;
    cplus_demangle_fill_name(&folding.dots, "...", 3);
    c = fold(&folding, c);
    char *name = folding.steps <= STEPS_MAX ? cplus_demangle_print(DMGL_ANSI, c, 64, &size) : NULL;
    free(memory);
    return name;
}

char *demangle(const char *linkage, enum name_form form)
{
    if (!is_mangled(linkage))
        return NULL;
    char *name = form == NAMES_SHORT ? demangle_short(linkage) : NULL;
    return name ? name : cplus_demangle_v3(linkage, form == NAMES_FULL ? DMGL_PARAMS | DMGL_ANSI : DMGL_ANSI);
}
