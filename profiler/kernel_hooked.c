/* Compiled with -finstrument-functions. */
#define KERNEL kernel_hooked
#define KERNEL_ENTER
#define KERNEL_EXIT
#include "profiler/kernel_body.h"
