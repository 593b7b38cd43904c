/*
 * What a caller may believe of a function with sleds. A sled is no call to gcc, but what is patched into it uses r11.
 */
#ifndef PCOMP_CALL_CLOBBERS_H
#define PCOMP_CALL_CLOBBERS_H

class opt_pass;
namespace gcc {
class context;
}

/*
 * The pass that stands after "optimized", the last before instructions exist, and turns -fipa-ra off in each function:
 * with it gcc keeps values in call-clobbered registers over calls of functions that do not use those. gcc frees the
 * pass.
 */
opt_pass *make_call_clobbers_pass(gcc::context *context);

#endif
