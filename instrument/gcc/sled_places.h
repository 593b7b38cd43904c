/*
 * Where a function gets its sleds. The pass runs on the last form of the instructions, after inlining and after every
 * pass that moves code, so that a sled stays where it is put.
 */
#ifndef PCOMP_SLED_PLACES_H
#define PCOMP_SLED_PLACES_H

class opt_pass;
namespace gcc {
class context;
}

/* The pass that stands before "shorten"; ends the compilation where a function cannot have sleds. gcc frees the pass.
 */
opt_pass *make_sled_places_pass(gcc::context *context);

#endif
