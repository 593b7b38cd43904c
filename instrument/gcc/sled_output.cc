#include "instrument/gcc/gcc_headers.h"

#include "instrument/gcc/sled_output.h"

namespace {

enum sled_kind { SLED_ENTRY = 0, SLED_RETURN = 1, SLED_TAIL = 2 }; // as in the map

/* What follows an instruction in the output, by its number. */
struct after_insn {
    const char *bytes;  // of the sled, null: none
    bool starts_sled;   // alignment and label come before the bytes
    unsigned int label; // of the sled, where it starts here
};

struct sled {
    unsigned int label;
    sled_kind kind;
};

/* .byte and not instructions: they read the same under -masm=intel, and no assembler makes them shorter. */
const char no_op[] =
    "\t.byte\t0x66,0x66,0x2e,0x0f,0x1f,0x84,0,0,2,0,0\n"; // one instruction: data16 nopw %cs:512(%rax,%rax)
const char behind_return[] = "\t.byte\t0x2e,0x66,0x0f,0x1f,0x84,0,0,2,0,0\n"; // nopw %cs:512(%rax,%rax)

unsigned int labels; // used so far in this assembly file
hash_map<int_hash<int, -1, -2>, after_insn> marks;
auto_vec<sled> sleds;                      // of the function being compiled, its entry first
section *entry_section;                    // where that entry stands
hash_map<section *, unsigned int> anchors; // label of the first entry sled of a section

void (*next_postscan)(FILE *, rtx_insn *, rtx *, int);

void add_sled(rtx_insn *mark, sled_kind kind, const char *bytes)
{
    unsigned int label = labels++;
    marks.put(INSN_UID(mark), {bytes, true, label});
    sleds.safe_push({label, kind});
}

void output_after_insn(FILE *file, rtx_insn *insn, rtx *operands, int count)
{
    if (next_postscan)
        next_postscan(file, insn, operands, count);
    const after_insn *after = marks.get(INSN_UID(insn));
    if (!after)
        return;
    if (after->starts_sled)
        fprintf(file, "\t.p2align 1\n.Lpcomp_sled%u:\n", after->label);
    if (after->bytes)
        fputs(after->bytes, file);
    if (after->starts_sled && after->label == sleds[0].label)
        entry_section = in_section;
}

/*
 * The section lives and dies with the function's: linked to it, and in its COMDAT group. A section of its own for each
 * function, as clang has, would cost two section headers a function; functions in one section share theirs.
 */
void open_map_section(FILE *file)
{
    bool known;
    unsigned int &anchor = anchors.get_or_insert(entry_section, &known);
    if (!known)
        anchor = sleds[0].label;
    bool comdat = SECTION_STYLE(entry_section) == SECTION_NAMED && (entry_section->common.flags & SECTION_LINKONCE);
    fprintf(file, "\t.pushsection xray_instr_map,\"ao%s\",@progbits,.Lpcomp_sled%u", comdat ? "G" : "", anchor);
    if (comdat) {
        tree group = entry_section->named.decl;
        if (TREE_CODE(group) != IDENTIFIER_NODE)
            group = DECL_COMDAT_GROUP(group);
        fprintf(file, ",%s,comdat", IDENTIFIER_POINTER(group));
    }
    fputc('\n', file);
}

/* The alias is local: a reference to a global function could be bound to another module's, and is refused in PIC. */
void write_map(FILE *file)
{
    unsigned int function = sleds[0].label;
    fprintf(file, "\t.set .Lpcomp_function%u,", function);
    assemble_name(file, XSTR(XEXP(DECL_RTL(current_function_decl), 0), 0));
    fputc('\n', file);
    open_map_section(file);
    for (const sled &sled : sleds)
        fprintf(file,
                "\t.quad\t.Lpcomp_sled%u-.\n"
                "\t.quad\t.Lpcomp_function%u-.\n"
                "\t.byte\t%d,0,2\n"
                "\t.zero\t13\n",
                sled.label, function, sled.kind);
    fputs("\t.popsection\n", file);
}

const pass_data sled_map_data = {RTL_PASS, "pcomp_map", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0};

class sled_map_pass : public rtl_opt_pass {
  public:
    explicit sled_map_pass(gcc::context *context) : rtl_opt_pass(sled_map_data, context) {}

    unsigned int execute(function *) final override
    {
        if (!sleds.is_empty())
            write_map(asm_out_file);
        sleds.truncate(0);
        marks.empty();
        entry_section = nullptr;
        return 0;
    }
};

} // namespace

void sled_output_entry(rtx_insn *mark)
{
    add_sled(mark, SLED_ENTRY, no_op);
}

void sled_output_return(rtx_insn *mark, rtx_insn *ret)
{
    add_sled(mark, SLED_RETURN, nullptr);
    marks.put(INSN_UID(ret), {behind_return, false, 0});
}

void sled_output_tail(rtx_insn *mark)
{
    add_sled(mark, SLED_TAIL, no_op);
}

void sled_output_install()
{
    next_postscan = targetm.asm_out.final_postscan_insn;
    targetm.asm_out.final_postscan_insn = output_after_insn;
}

opt_pass *make_sled_map_pass(gcc::context *context)
{
    return new sled_map_pass(context);
}
