#define KERNEL kernel_plain
#define KERNEL_ENTER
#define KERNEL_EXIT
#include "profiler/kernel_body.h"
