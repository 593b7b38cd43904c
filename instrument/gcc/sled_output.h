/*
 * What stands in the assembly of a function with sleds: their bytes, and its entries of the section xray_instr_map.
 * pcomp-sleds(5) holds the layout. The instructions given to the first three functions are those of the function that
 * is being compiled; they are forgotten when its map has been written.
 */
#ifndef PCOMP_SLED_OUTPUT_H
#define PCOMP_SLED_OUTPUT_H

class opt_pass;
class rtx_insn;
namespace gcc {
class context;
}

/* An entry sled stands at `mark`, an instruction without output of its own. */
void sled_output_entry(rtx_insn *mark);

/* `ret`, which gcc outputs as the one byte c3, is the first byte of a sled; `mark` stands in front of it. */
void sled_output_return(rtx_insn *mark, rtx_insn *ret);

/* A tail sled stands at `mark`, in front of an instruction that leaves the function. */
void sled_output_tail(rtx_insn *mark);

/* Takes over gcc's hook that sees each instruction after it was output. Once, before the first function. */
void sled_output_install();

/* The pass that stands after "final" and writes the function's entries of the map. gcc frees the pass. */
opt_pass *make_sled_map_pass(gcc::context *context);

#endif
