#include "profiler/stack/native_frames.h"

#include "pcomp_config.h"
#include "profiler/base/config.h"
#include "profiler/base/store.h"
#include "profiler/code/functions.h"
#include "profiler/code/modules/modules.h"

#include <stdio.h>

#if HAVE_LIBUNWIND
#define UNW_LOCAL_ONLY
#include <dlfcn.h>
#include <libunwind.h>

#define TEXT(x)    TEXT_(x)
#define TEXT_(x)   #x
#define FRAMES_MAX 64

static struct {
    int (*getcontext)(unw_tdep_context_t *);
    int (*init_local)(unw_cursor_t *, unw_context_t *);
    int (*step)(unw_cursor_t *);
    int (*get_reg)(unw_cursor_t *, int, unw_word_t *);
} unwind;

const char *native_frames_start(void)
{
    if (!(config.flags & PCOMP_FLAG_NATIVE_FRAMES) || unwind.step)
        return NULL;
    if (modules_program_is_static())
        return "a statically linked program cannot load libunwind";
    void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return "libunwind cannot be loaded (apt-get install libunwind8)";
    *(void **)&unwind.getcontext = dlsym(library, TEXT(UNW_ARCH_OBJ(getcontext)));
    *(void **)&unwind.init_local = dlsym(library, TEXT(UNW_OBJ(init_local)));
    *(void **)&unwind.get_reg = dlsym(library, TEXT(UNW_OBJ(get_reg)));
    *(void **)&unwind.step = dlsym(library, TEXT(UNW_OBJ(step)));
    if (!unwind.getcontext || !unwind.init_local || !unwind.get_reg || !unwind.step)
        return "this libunwind lacks a function that is needed";
    return NULL;
}

uint64_t native_frames_between(uint64_t caller_sp, uint64_t callee_sp)
{
    unw_context_t context;
    unw_cursor_t cursor;
    uint64_t addresses[FRAMES_MAX];
    char text[FRAMES_MAX * 20];
    int count = 0, length = 0;
    if (!unwind.step)
        return 0;
    if (unwind.getcontext(&context) < 0 || unwind.init_local(&cursor, &context) < 0)
        return 0;
    bool past_callee = false;
    while (count < FRAMES_MAX && unwind.step(&cursor) > 0) {
        unw_word_t ip = 0, sp = 0;
        if (unwind.get_reg(&cursor, UNW_REG_IP, &ip) < 0 || unwind.get_reg(&cursor, UNW_REG_SP, &sp) < 0)
            break;
        if (sp >= caller_sp) /* the instrumented caller itself */
            break;
        if (past_callee)
            addresses[count++] = ip - 1; /* inside the call */
        past_callee |= sp > callee_sp;
    }
    while (count-- > 0) {
        functions_register_module(addresses[count]);
        length += snprintf(text + length, sizeof(text) - (size_t)length, length ? " %#lx" : "%#lx",
                           (unsigned long)addresses[count]);
    }
    return length ? store_text(text, (size_t)length) : 0;
}

#else

const char *native_frames_start(void)
{
    return config.flags & PCOMP_FLAG_NATIVE_FRAMES ? "this pcomp was built without libunwind" : NULL;
}

uint64_t native_frames_between(uint64_t caller_sp, uint64_t callee_sp)
{
    (void)caller_sp;
    (void)callee_sp;
    return 0;
}

#endif
