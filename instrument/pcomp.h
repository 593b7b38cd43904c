/* pcomp: manual regions and control, for programs measured with -lpcomp. C and C++.
 *
 * All functions are thread-safe, keep errno and never fail visibly; they act on the calling thread unless they say
 * otherwise. With -DPCOMP_DISABLE they are nothing, and no library is needed. */
#ifndef PCOMP_H
#define PCOMP_H

#ifdef __cplusplus
extern "C" {
#endif

#ifndef PCOMP_DISABLE

/* Opens and closes a region: it is measured and shown like a function of that name. Regions nest with functions and
 * with each other; an end closes the innermost open region of its name. `name` must be a string that stays where it is
 * and as it is (a literal): its address identifies the region while the program runs. */
void pcomp_region_begin(const char *name);
void pcomp_region_end(const char *name);

/* Stops measuring: calls are neither counted nor timed, and the time does not appear in any function. Nests. */
void pcomp_pause(void);
void pcomp_resume(void);

/* Copies the profile as it is now into a data directory of its own, <data directory>.<label>, for `pcomp report` and
 * `pcomp diff`; `label` of letters, digits, - and _. The time it takes is not measured. Returns 0, or -1 where nothing
 * is measured, or a trace is recorded, or the copy cannot be written (errno tells why). */
int pcomp_snapshot(const char *label);

/* Tell a trace (pcomp record --trace) of a synchronisation that the program makes itself, of memory and waiting loops:
 * a thread awaits that `variable` (any address that names it) has been advanced to `index`. The program calls
 * pcomp_advance right before it makes an index visible, pcomp_await_begin before it looks, and pcomp_await_end when it
 * has seen it: one line each at the program's own operations,
 *
 *     #define ADVANCE(v, i) (pcomp_advance(&(v), (i)), atomic_store(&(v), (i)))
 *     #define AWAIT(v, i)   (pcomp_await_begin(&(v), (i)), await(&(v), (i)), pcomp_await_end(&(v), (i)))
 *
 * An index is advanced to once. One that is negative when seen as a long (i - distance, in the first rounds of a loop)
 * is advanced to by nobody, and its await not taken to have waited. */
void pcomp_advance(const void *variable, unsigned long index);
void pcomp_await_begin(const void *variable, unsigned long index);
void pcomp_await_end(const void *variable, unsigned long index);

#else

#define pcomp_region_begin(name) ((void)0)
#define pcomp_region_end(name)   ((void)0)
#define pcomp_pause()            ((void)0)
#define pcomp_resume()           ((void)0)
#define pcomp_snapshot(label)    (0)

#define pcomp_advance(variable, index)     ((void)(variable), (void)(index))
#define pcomp_await_begin(variable, index) ((void)(variable), (void)(index))
#define pcomp_await_end(variable, index)   ((void)(variable), (void)(index))

#endif

#ifdef __cplusplus
}
#endif

#endif
