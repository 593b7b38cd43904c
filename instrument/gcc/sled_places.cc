#include "instrument/gcc/gcc_headers.h"

#include "instrument/gcc/sled_output.h"
#include "instrument/gcc/sled_places.h"

namespace {

/* Attributes whose functions keep every register or have no code of the compiler's. Some hang on the function, some on
 * its type. */
const char *const excluding_attributes[] = {"no_instrument_function", "naked", "interrupt",
                                            "no_caller_saved_registers"};

bool has_attribute(tree function, const char *name)
{
    return lookup_attribute(name, DECL_ATTRIBUTES(function)) ||
           lookup_attribute(name, TYPE_ATTRIBUTES(TREE_TYPE(function)));
}

/* The dynamic linker calls a resolver while it relocates: before any library is ready. */
bool is_ifunc_resolver(tree function)
{
    cgraph_node *node = cgraph_node::get(function);
    ipa_ref *ref;
    for (unsigned i = 0; node && node->iterate_direct_aliases(i, ref); i++)
        if (ref->referring->ifunc_resolver || lookup_attribute("ifunc", DECL_ATTRIBUTES(ref->referring->decl)))
            return true;
    return false;
}

bool wants_sleds(function *fun)
{
    for (const char *name : excluding_attributes)
        if (has_attribute(fun->decl, name))
            return false;
    return !fun->is_thunk && !is_ifunc_resolver(fun->decl);
}

/* gcc frees nothing here: an empty instruction carries the position of a sled through to the output. */
rtx_insn *mark_before(rtx_insn *insn, location_t location)
{
    rtx_insn *mark = emit_insn_before(gen_blockage(), insn);
    INSN_LOCATION(mark) = location;
    return mark;
}

/* The instruction is output as the one byte c3, and nothing in front of it or behind it. */
bool is_plain_return(rtx_insn *insn)
{
    return recog_memoized(insn) == CODE_FOR_simple_return_internal &&
           cfun->machine->function_return_type == indirect_branch_keep &&
           ix86_instrument_return == instrument_return_none && !(ix86_harden_sls & harden_sls_return) &&
           !crtl->calls_eh_return;
}

/*
 * A label of the body may be the target of a jump backwards: behind it the sled would count iterations. The labels of a
 * function stand at or behind the head of the first block; endbr64 and the area of -fpatchable-function-entry have been
 * put in front of that by now, and stay in front of the sled.
 */
void place_entry_sled()
{
    basic_block first = ENTRY_BLOCK_PTR_FOR_FN(cfun)->next_bb;
    sled_output_entry(mark_before(BB_HEAD(first), prologue_location));
}

void place_exit_sled(rtx_insn *insn)
{
    if (JUMP_P(insn) && any_condjump_p(insn))
        fatal_error(UNKNOWN_LOCATION, "pcomp: a conditional return in %qD: no sled can stand there",
                    current_function_decl);
    rtx_insn *mark = mark_before(insn, INSN_LOCATION(insn));
    if (JUMP_P(insn) && is_plain_return(insn))
        sled_output_return(mark, insn);
    else
        sled_output_tail(mark);
}

void require_scratch_register(tree function)
{
    if (!crtl->abi->clobbers_full_reg_p(R11_REG) || fixed_regs[R11_REG] || global_regs[R11_REG])
        fatal_error(DECL_SOURCE_LOCATION(function),
                    "pcomp: %qD is compiled with register r11 reserved (%<-ffixed-r11%>, %<-fcall-saved-r11%> or a "
                    "global register variable), which sleds need: compile this file without the plugin",
                    function);
}

const pass_data sled_places_data = {RTL_PASS, "pcomp_sleds", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0};

class sled_places_pass : public rtl_opt_pass {
  public:
    explicit sled_places_pass(gcc::context *context) : rtl_opt_pass(sled_places_data, context) {}

    unsigned int execute(function *fun) final override
    {
        if (!wants_sleds(fun))
            return 0;
        require_scratch_register(fun->decl);
        place_entry_sled();
        for (rtx_insn *insn = get_insns(); insn; insn = NEXT_INSN(insn))
            if (returnjump_p(insn) || (CALL_P(insn) && SIBLING_CALL_P(insn)))
                place_exit_sled(insn);
        return 0;
    }
};

} // namespace

opt_pass *make_sled_places_pass(gcc::context *context)
{
    return new sled_places_pass(context);
}
