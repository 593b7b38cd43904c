/*
 * gcc's own headers, in the one order in which they compile. No file of the plugin includes one of them by itself.
 */
#ifndef PCOMP_GCC_HEADERS_H
#define PCOMP_GCC_HEADERS_H

#include <gcc-plugin.h>

#include <plugin-version.h>

// clang-format off
#include <backend.h>
#include <rtl.h>
#include <tree.h>
#include <stringpool.h>
#include <attribs.h>
#include <cgraph.h>
#include <context.h>
#include <diagnostic-core.h>
#include <memmodel.h>
#include <emit-rtl.h>
#include <regs.h>
#include <function-abi.h>
#include <insn-codes.h>
#include <insn-config.h>
#include <opts.h>
#include <output.h>
#include <recog.h>
#include <target.h>
#include <tree-pass.h>
#include <varasm.h>
// clang-format on

#endif
