/* A plug-in with one function of its own, and the program that calls three, one after the other: plugin_host A B A. */
#ifdef PLUGIN
__attribute__((noinline)) void PLUGIN(void)
{
    __asm__ volatile("");
}

__attribute__((no_instrument_function)) void work(int calls)
{
    for (int i = 0; i < calls; i++)
        PLUGIN();
}
#else
#include <dlfcn.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        void *plugin = dlopen(argv[i], RTLD_NOW), *found = plugin ? dlsym(plugin, "work") : NULL;
        void (*work)(int);
        if (!found)
            return 1;
        *(void **)&work = found;
        work(10 * i);
        dlclose(plugin);
    }
    return 0;
}
#endif
