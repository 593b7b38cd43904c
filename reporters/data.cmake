# The data layer: from profile files to the call tree with names.
set(PCOMP_REPORTERS_DATA_SOURCES
  adoption.c
  call_tree.c
  data_directory.c
  debug_file.c
  demangle.c
  open_activations.c
  profile_check.c
  profile_file.c
  symbol_inlines.c
  symbol_lines.c
  symbols.c
  merge/function_names.c
  merge/function_table.c
  merge/merge_costs.c
  merge/merge_functions.c
  merge/merge_profile.c
  merge/merge_threads.c
  merge/sampled_times.c
  merge/burst_calls.c
  merge/burst_times.c
  merge/text_pool.c
  merge/tree_builder.c
  merge/tree_finish.c
  merge/tree_functions.c
  merge/tree_warnings.c)
list(TRANSFORM PCOMP_REPORTERS_DATA_SOURCES PREPEND "${CMAKE_CURRENT_LIST_DIR}/")
