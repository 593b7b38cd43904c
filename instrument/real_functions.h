/* The functions of libc that ours stand in front of. */
#ifndef PCOMP_REAL_FUNCTIONS_H
#define PCOMP_REAL_FUNCTIONS_H

/* The next function of that name behind this library; of `version` where that one exists (NULL: the default one).
 * NULL: there is none. */
void *real_function_or_null(const char *name, const char *version);

/* The same; ends the program where there is none: it called a function of libc that libc does not have. */
void *real_function(const char *name, const char *version);

/* Defines real_NAME, a pointer to the real function. It is looked up when the library is loaded, so that no look-up
 * happens in a signal handler or under a lock; a call that comes still earlier looks it up itself. */
#define REAL_VERSION(version, result, name, parameters, arguments)                                                     \
    static result first_##name parameters;                                                                             \
    static result(*real_##name) parameters = first_##name;                                                             \
    static result first_##name parameters                                                                              \
    {                                                                                                                  \
        *(void **)&real_##name = real_function(#name, version);                                                        \
        return real_##name arguments;                                                                                  \
    }                                                                                                                  \
    static __attribute__((constructor(101))) void prepare_##name(void)                                                 \
    {                                                                                                                  \
        void *found = real_function_or_null(#name, version);                                                           \
        if (found)                                                                                                     \
            *(void **)&real_##name = found;                                                                            \
    }                                                                                                                  \
    static result first_##name parameters

#define REAL(result, name, parameters, arguments) REAL_VERSION(NULL, result, name, parameters, arguments)

#endif
