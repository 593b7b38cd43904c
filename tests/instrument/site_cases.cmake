# The programs of cases.cmake for sleds, which the compiler leaves behind inlining, and with all calls counted in place;
# and programs of their own. A form that this machine's compilers cannot make is skipped, and says so.
foreach(form gcc clang gcc-sleds clang-sleds)
  string(REPLACE "-" "_" name "${form}")
  string(REGEX REPLACE "^(gcc|clang)" "\\1++" xx "${form}")
  string(REPLACE "gcc++" "g++" xx "${xx}")
  set(all counts)
  if(form MATCHES "sleds")
    set(all full counts)
  endif()
  pcomp_case(sites_call_shapes_${name} SOURCES call_shapes.c COMPILER ${form} FLAGS -O2 STATUS 42 MODES ${all})
  pcomp_case(sites_jumps_${name} SOURCES jumps.c COMPILER ${form} FLAGS "-O2 -DJUMPS_KNOWN" MODES ${all})
  pcomp_case(sites_signals_${name} SOURCES signals.c COMPILER ${form} FLAGS -O2 MODES ${all})
  pcomp_case(sites_processes_${name} SOURCES processes.c COMPILER ${form} FLAGS -O2 MODES ${all})
  pcomp_case(sites_exceptions_${name} SOURCES mixed.cc mixed_c.c COMPILER ${xx} FLAGS -O2 STATUS 3 MODES ${all})
  pcomp_case(sites_threads_${name} SOURCES threads.c COMPILER ${form} FLAGS "-O2 -DTHREADS=300" MODES ${all})
  pcomp_case(sites_regions_${name} SOURCES regions.cc COMPILER ${form} FLAGS "-O2 -xc" MODES ${all})
  pcomp_case(sites_handlers_that_jump_${name} SOURCES jumping_handlers.c COMPILER ${form} FLAGS "-O2 -DJUMPS_KNOWN"
             MODES counts)
  pcomp_case(sites_signals_on_another_stack_${name} SOURCES signals.c COMPILER ${form} FLAGS "-O2 -DOTHER_STACK" MODES
             counts)
  pcomp_case(sites_coroutines_${name} SOURCES coroutines.c COMPILER ${form} FLAGS -O2 MODES counts LABELS noasan)
  pcomp_case(sites_coroutines_left_${name} SOURCES coroutines_left.c COMPILER ${form} FLAGS -O2 MODES counts LABELS
             noasan)
  pcomp_case(sites_recursion_${name} SOURCES deep.c COMPILER ${form} FLAGS -O2 MODES counts)
  pcomp_case(sites_waits_${name} SOURCES waits.c COMPILER ${form} FLAGS "-O1 -fno-inline" MODES counts)
  pcomp_case(sites_preempted_${name} SOURCES preempted.c COMPILER ${form} FLAGS "-O1 -D_GNU_SOURCE" MODES counts)
  pcomp_case(sites_seldom_${name} SOURCES seldom.c COMPILER ${form} FLAGS -O1 MODES counts)
  pcomp_case(sites_big_frames_${name} SOURCES big_frames.c COMPILER ${form} FLAGS -O2 MODES counts LABELS noasan)
  pcomp_case(sites_fallen_${name} SOURCES fallen.c COMPILER ${form} FLAGS -O2 MODES counts LABELS noasan)
  # What is under a minute elsewhere takes longer with the sanitizers, and stacks of handlers are not theirs.
  pcomp_case(sites_hot_threads_${name} SOURCES hot_threads.c COMPILER ${form} FLAGS "-O2 -DROUNDS=20000" MODES ${all}
             LABELS noasan)
  pcomp_case(sites_hot_threads_forking_${name} SOURCES hot_threads.c COMPILER ${form} FLAGS "-O2 -DROUNDS=20000 -DFORKS"
             MODES counts LABELS noasan)
  pcomp_case(sites_short_threads_${name} SOURCES short_threads.c COMPILER ${form} FLAGS "-O1 -DTHREADS=2000" MODES counts)
  pcomp_case(sites_killed_${name} SOURCES killed.c COMPILER ${form} FLAGS -O2 STATUS 137 MODES counts LABELS noasan)
  pcomp_case(sites_keep_registers_${name} SOURCES registers.c COMPILER ${form} FLAGS -O2 MODES ${all} LABELS noasan)
  pcomp_case(sites_keep_registers_unoptimised_${name} SOURCES registers.c COMPILER ${form} FLAGS -O0 MODES counts LABELS
             noasan)
  pcomp_case(sites_keep_registers_tail_calls_${name} SOURCES registers.c COMPILER ${form} FLAGS
             "-O2 -foptimize-sibling-calls" MODES ${all} LABELS noasan)
  pcomp_case(sites_exit_while_threads_call_${name} SOURCES exit_in_calls.c COMPILER ${form} FLAGS -O2 MODES counts)
endforeach()
foreach(form gcc-sleds clang-sleds)
  string(REPLACE "-" "_" name "${form}")
  foreach(link static fullstatic preload)
    pcomp_case(sites_call_shapes_${link}_${name} SOURCES call_shapes.c COMPILER ${form} LINK ${link} FLAGS -O2 STATUS 42
               MODES counts)
  endforeach()
  pcomp_case(sites_call_shapes_unoptimised_${name} SOURCES call_shapes.c COMPILER ${form} FLAGS -O0 STATUS 42 MODES full
             counts)
  pcomp_case(sites_filtered_${name} SOURCES call_shapes.c COMPILER ${form} FLAGS -O2 OPTIONS "--counts exact --skip [a-m]*" STATUS 42)
endforeach()
pcomp_case(sites_many_short_threads SOURCES short_threads.c COMPILER clang-sleds FLAGS "-O1 -DTHREADS=20000" MODES counts
           LABELS slow noasan)
pcomp_script(site_plugins_counted LABELS noasan MODES full counts)
pcomp_script(site_refusals LABELS noasan MODES full counts)
pcomp_case(sites_inlined_gcc SOURCES inlined.c FLAGS -O2 MODES counts) # what is inlined has hook calls, but no sleds

# Every call of a hook is found, in whatever form it is.
foreach(way "g++;shared;-O0" "g++;shared;-O1" "g++;shared;-O2" "g++;shared;-O3" "g++;shared;-O2 -fno-plt"
        "g++;shared;-O2 -fcf-protection" "g++;shared;-O2 -fno-pie -no-pie" "g++;shared;-O2 -Wl,-z,ibtplt"
        "g++;shared;-O2 -Wl,-z,lazy" "g++;shared;-Os" "g++;static;-O2" "g++;fullstatic;-O2" "g++;fullstatic;-O2 -fno-plt"
        "clang++;shared;-O0" "clang++;shared;-O2" "clang++;shared;-O3 -fno-plt"
        "clang++;shared;-O2 -fcf-protection" "clang++;static;-O2" "clang++;fullstatic;-O2")
  list(GET way 0 compiler)
  list(GET way 1 link)
  list(GET way 2 flags)
  string(REGEX REPLACE "[^A-Za-z0-9]+" "_" name "site_forms_${compiler}_${link}${flags}")
  if(NOT PCOMP_SANITIZE) # the hooks of such a build are not those of the assembler
    add_test(NAME instrument_${name} COMMAND bash "${CMAKE_CURRENT_SOURCE_DIR}/site_forms.sh" ${compiler} ${link} "${flags}")
    pcomp_case_environment(instrument_${name} counts)
  endif()
endforeach()
foreach(form g++ clang++ clang++-sleds)
  string(REGEX REPLACE "[+]+" "xx" name "switching_stress_${form}")
  pcomp_case(${name} SOURCES switching_stress.cc COMPILER ${form} FLAGS -O2 OPTIONS "--budget 0.5%" LABELS noasan)
endforeach()
