/*
 * Patches the sleds of the program that it is linked with, and counts. Entry and return sleds destroy what the run-time
 * library may destroy there: r11 and the flags; tail sleds destroy the flags. Single-threaded.
 */
#ifndef PCOMP_SLED_PATCHER_H
#define PCOMP_SLED_PATCHER_H

#ifdef __cplusplus
extern "C" {
#endif

/* Once, at the start of main. Ends the program where it fails. */
void sleds_patch(void);

/* Patches `size` bytes of no-ops at `place` as an entry sled. */
void sleds_patch_place(void *place, unsigned long size);

/* Calls of the functions called `name` (sled_map_is_called), from sleds; exits: returns and tail calls. */
unsigned long sleds_entries(const char *name);
unsigned long sleds_exits(const char *name);

/* Functions of that name with sleds. */
unsigned long sleds_functions(const char *name);

/* Prints a complaint where the entries of `name` are not `expected`, or its exits are not `exits`. */
void sleds_expect(const char *name, unsigned long expected, unsigned long exits);

/* Complaints so far. */
int sleds_failures(void);

#ifdef __cplusplus
}
#endif

#endif
