#include "tests/instrument/gcc/programs/sled_classes.h"

int destroyed;

int other_file(int n)
{
    return static_cast<int>(shared<long>(n)) + 1;
}
