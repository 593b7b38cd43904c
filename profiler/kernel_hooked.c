/* Compiled with -finstrument-functions. */
#define KERNEL(name) hooked_##name
#define ENTER(name)
#define EXIT(name)
#include "profiler/kernel_body.h"
