/* PNG pictures: the library that draws them is loaded when the first is asked for. Cairo comes with 18 more libraries,
 * which every command would load if it were linked to them: 3.5 ms, as long as all else that `pcomp --version` does. */
#include "reporters/base/library_path.h"
#include "reporters/timeline/canvas.h"

#include <dlfcn.h>
#include <stdlib.h>

struct canvas *canvas_png_open(FILE *out, unsigned width, unsigned height, char *error, size_t error_size)
{
    char *path = png_library_path_find();
    if (!path) {
        snprintf(error, error_size,
                 "libpcomp-png.so, which draws PNG, is not beside pcomp (write .svg, or build pcomp where "
                 "libcairo2-dev is installed)");
        return NULL;
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL); /* until the command ends */
    free(path);
    canvas_png_maker *make = library ? (canvas_png_maker *)dlsym(library, CANVAS_PNG_MAKER) : NULL;
    if (!make) {
        snprintf(error, error_size, "%s (write .svg, or install libcairo2)", dlerror());
        return NULL;
    }
    return make(out, width, height, error, error_size);
}
