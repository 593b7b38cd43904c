#define KERNEL(name) plain_##name
#define ENTER(name)
#define EXIT(name)
#include "profiler/kernel_body.h"
