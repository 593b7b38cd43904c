/* Levels of functions, and the sites that wait to be resolved (sites.h). Any thread, with signals blocked; one lock. */
#ifndef PCOMP_SITE_LEVELS_H
#define PCOMP_SITE_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

struct module_sites;
struct site;

enum site_level { SITE_TIMED, SITE_COUNTED, SITE_OFF };

/* A site that is not resolved was reached, and belongs to the function with this id, which has a level by then: it is
 * resolved by the next sites_resolve. False: that is due, since too many wait, or too many calls entered them. Signals
 * blocked, but where it was reached before. */
bool sites_reach(struct site *site, uint32_t function);

/* The function of a sled's site. Needs no lock. */
uint64_t sites_function(const struct site *site);

/* Whether it was reached before; and whether it should be now, since it is not for the first time that it is called:
 * settling a site that is called once or twice costs more than it saves. Need no lock. */
bool site_is_reached(const struct site *site);
bool site_should_be_reached(struct site *site);

/* The level of a function by its id. The change of one whose sites were resolved waits for sites_resolve. Signals
 * blocked but for sites_level, which needs no lock. */
void sites_set_level(uint32_t function, enum site_level level);
enum site_level sites_level(uint32_t function);

/* Hook calls of a function that was reached, behind which values come back that were kept for them (kept_vectors.h):
 * how often in a call that meets one enter and one exit. Signals blocked. */
uint32_t sites_keeping(uint32_t function);

/* Carries out what waits, but for sites of functions whose ids are not below `counted`: others have counters. When it
 * returns, no thread executes the old instructions any more. The code can be written until SITE_RESOLVES_OPEN calls in
 * a row have found nothing to carry out: windows switch it a hundred times a second. */
#define SITE_RESOLVES_OPEN 100
void sites_resolve(uint32_t counted);

/* With the lock. The module goes: its sites leave the rings of their functions. */
void site_levels_forget(const struct module_sites *m);

/* Child of a fork: nothing is known of any function. */
void site_levels_fork(void);

#endif
