/* For programs under test: the call sites of the library that they are linked with (site_control.c), which exports
 * nothing of the kind itself. */
#ifndef PCOMP_SITE_CONTROL_H
#define PCOMP_SITE_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct control_found {
    uint32_t enters, exits, refused;
};

/* Finds the sites of the module that `function` lies in. */
struct control_found control_find(const void *function);

/* Turns all of them off or on, with what that means to the profile. */
void control_turn(bool on);

/* Stops counting, with all sites still on. */
void control_halt(void);

/* Calls that were counted so far, of all threads. */
uint64_t control_calls(void);

/* As control_turn for the sites in [from, to), without. Returns how many changed; *left_alone as in sites_switch. */
uint32_t control_switch(const void *from, const void *to, bool on, uint32_t *left_alone);

#ifdef __cplusplus
}
#endif

#endif
