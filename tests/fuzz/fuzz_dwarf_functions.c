/* The reader of an ordinary build under damage: whatever the bytes, it gives functions, or one line of error. Entry of
 * libFuzzer (target fuzz_dwarf_functions); dwarf_regression calls it with a program of its own making. */
#include "reporters/symbols/dwarf_functions.h"
#include "reporters/symbols/dwarf_prototype.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "fuzz_dwarf_functions: %s:%d: not so: %s\n", __FILE__, __LINE__, #condition);              \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64], error[256] = "";
    struct dwarf_functions functions;
    struct prototype_tags tags = {NULL, 0};
    int fd = memfd_create("program", MFD_CLOEXEC);
    REQUIRE(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    bool good = dwarf_functions_read(&functions, path, error, sizeof error);
    REQUIRE(good ? functions.count > 0 : *error && !strchr(error, '\n'));
    for (size_t i = 0; i < functions.count; i++) {
        const struct dwarf_function *function = &functions.list[i];
        const char *why = NULL;
        REQUIRE(function->name && function->linkage && function->key && function->form <= FORM_GONE);
        REQUIRE(dwarf_functions_find(&functions, function->linkage, function->file));
        REQUIRE(!i || strcmp(functions.list[i - 1].key, function->key) <= 0);
        Dwarf_Die die = function->die;
        char *prototype = dwarf_prototype(&die, &tags, &why);
        REQUIRE(prototype || why);
        free(prototype);
    }
    prototype_tags_free(&tags);
    dwarf_functions_free(&functions);
    close(fd);
    return 0;
}
