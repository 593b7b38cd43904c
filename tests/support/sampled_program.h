/* A profile with sampled stacks, of functions of the test's own program, and what its tree is held to. One at a time.
 */
#ifndef PCOMP_SAMPLED_PROGRAM_H
#define PCOMP_SAMPLED_PROGRAM_H

#include "reporters/tree/call_tree.h"
#include "tests/support/profile_writer.h"

#include <stdint.h>

#define MS 1e6 /* ns */

/* timed_main (100 ms) calls timed_inner (20 of them) and what is counted alone. Ids in this order from 2. */
enum { MAIN = PCOMP_FUNCTION_FIRST, INNER, F, G, COUNT };

extern struct profile_writer w;
extern struct call_tree *tree; /* what load() read */
extern struct call_tree_options options;
extern uint64_t main_node, inner_node;

/* Before and after each test. */
void sampled_program_begin(void);
void sampled_program_end(void);

/* Where MAIN, INNER, F or G begins. */
uint64_t sampled_program_address(int function);

/* Of a timed node. */
struct writer_counts sampled_program_timed(uint64_t calls, double ms);

/* Adds calls of the counted functions. */
void count(uint64_t f, uint64_t g);

/* A frame of the table of stacks: `parent` its number plus 1, `node` that of a timed activation or 0. */
struct pcomp_stack_frame frame(int function, uint64_t node, uint32_t parent, uint32_t weight);

/* Reads the profile as it is now; it may be added to. */
void load(void);

/* timed_main, timed_inner, counted_f, counted_g, or another name. */
const struct tree_function *find(const char *name);

void assert_near(double found, double wanted, const char *what);

/* Raw and compensated times alike. */
void assert_times(const char *name, double exclusive_ms, double inclusive_ms);

/* Exclusive times of functions, and of paths, add up to the totals, and children to their parents. */
void assert_conserved(void);

#endif
