#include "instrument/gcc/gcc_headers.h"

#include "instrument/gcc/call_clobbers.h"

namespace {

const pass_data call_clobbers_data = {GIMPLE_PASS, "pcomp_clobbers", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0};

class call_clobbers_pass : public gimple_opt_pass {
  public:
    explicit call_clobbers_pass(gcc::context *context) : gimple_opt_pass(call_clobbers_data, context) {}

    /* The options of a function come from its attributes, a pragma or, at a link with -flto, from where it was
     * compiled: they are set anew each time that gcc turns to it, so they are changed at their source as well. */
    unsigned int execute(function *fun) final override
    {
        const_cast<cl_optimization *>(opts_for_fn(fun->decl))->x_flag_ipa_ra = 0;
        flag_ipa_ra = 0;
        return 0;
    }
};

} // namespace

opt_pass *make_call_clobbers_pass(gcc::context *context)
{
    return new call_clobbers_pass(context);
}
