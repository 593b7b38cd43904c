/*
 * A plugin of gcc that leaves XRay's sleds in every function, after inlining: pcomp-sleds(5). This file holds what gcc
 * asks of a plugin and what the plugin refuses.
 */
#include "instrument/gcc/gcc_headers.h"

#include "instrument/gcc/call_clobbers.h"
#include "instrument/gcc/sled_output.h"
#include "instrument/gcc/sled_places.h"

__attribute__((visibility("default"))) int plugin_is_GPL_compatible; // gcc looks for the name alone

namespace {

/* The linker keeps it whatever it drops: a tool can say that there were sleds where the map is missing. */
#if HAVE_GAS_SHF_GNU_RETAIN
#define NOTE_FLAGS "aR"
#else
#define NOTE_FLAGS "a"
#endif
const char note[] = "\t.pushsection .note.pcomp,\"" NOTE_FLAGS "\",@note\n"
                    "\t.p2align 2\n"
                    "\t.long 6,4,1\n" // length of the name, length of the version, type
                    "\t.asciz \"pcomp\"\n"
                    "\t.p2align 2\n"
                    "\t.long 1\n" // version
                    "\t.popsection\n";

/* The statement travels through -flto with the code, also to a link that lacks the plugin. */
void add_note(void *, void *)
{
    if (!in_lto_p)
        symtab->finalize_toplevel_asm(build_string(sizeof note - 1, note));
}

void refuse_options(void *, void *)
{
    if (!TARGET_64BIT || TARGET_X32)
        fatal_error(UNKNOWN_LOCATION, "pcomp: sleds exist for x86-64 only: compile without %<-m32%>, %<-mx32%> or "
                                      "without the plugin");
    if (flag_instrument_function_entry_exit)
        fatal_error(UNKNOWN_LOCATION,
                    "pcomp: %<-finstrument-functions%> and sleds would both measure each call: remove "
                    "%<-finstrument-functions%> or the plugin");
    if (flag_split_stack)
        fatal_error(UNKNOWN_LOCATION, "pcomp: sleds and %<-fsplit-stack%> cannot be used together: remove "
                                      "%<-fsplit-stack%> or the plugin");
}

void add_pass(const char *plugin, opt_pass *pass, const char *reference, pass_positioning_ops position)
{
    register_pass_info info = {pass, reference, 1, position};
    register_callback(plugin, PLUGIN_PASS_MANAGER_SETUP, nullptr, &info);
}

} // namespace

__attribute__((visibility("default"))) int plugin_init(plugin_name_args *plugin, plugin_gcc_version *running)
{
    if (!plugin_default_version_check(running, &gcc_version)) {
        error("pcomp: %qs was built for gcc %s (%s), this is gcc %s (%s): build pcomp with this compiler, or compile "
              "with that one",
              plugin->full_name, gcc_version.basever, gcc_version.datestamp, running->basever, running->datestamp);
        return 1;
    }
    if (plugin->argc > 0) {
        error("pcomp: the plugin takes no arguments, found %<-fplugin-arg-%s-%s%>", plugin->base_name,
              plugin->argv[0].key);
        return 1;
    }
    static plugin_info info = {"1", "Leaves LLVM XRay's sleds in every function, after inlining; takes no arguments."};
    const char *name = plugin->base_name;
    register_callback(name, PLUGIN_INFO, nullptr, &info);
    register_callback(name, PLUGIN_START_UNIT, refuse_options, nullptr);
    register_callback(name, PLUGIN_ALL_IPA_PASSES_START, add_note, nullptr);
    sled_output_install();
    add_pass(name, make_call_clobbers_pass(g), "optimized", PASS_POS_INSERT_AFTER);
    add_pass(name, make_sled_places_pass(g), "shorten", PASS_POS_INSERT_BEFORE);
    add_pass(name, make_sled_map_pass(g), "final", PASS_POS_INSERT_AFTER);
    return 0;
}
