# --- Counts and paths are exact however the program is built -----------------------------------------------------------
foreach(way "gcc;shared;-O0" "gcc;shared;-O1" "gcc;shared;-O2" "gcc;shared;-O3" "gcc;shared;-O2 -flto"
        "gcc;shared;-O2 -fno-plt" "gcc;shared;-O2 -fPIE -pie" "gcc;shared;-O2 -fno-pie -no-pie"
        "gcc;static;-O2" "gcc;static;-O2 -flto" "gcc;static;-O2 -fno-pie -no-pie" "gcc;fullstatic;-O2"
        "gcc;preload;-O2" "gcc;preload;-O0" "clang;shared;-O0" "clang;shared;-O3" "clang;static;-O2"
        "clang;fullstatic;-O2" "clang;preload;-O2")
  list(GET way 0 compiler)
  list(GET way 1 link)
  list(GET way 2 flags)
  string(REGEX REPLACE "[^A-Za-z0-9]+" "_" name "call_shapes_${compiler}_${link}${flags}")
  set(modes ONE_MODE)
  if(name MATCHES "gcc_(shared|fullstatic)_O[023]$|clang_(shared_O3|preload_O2)$")
    set(modes "")
  endif()
  pcomp_case(${name} SOURCES call_shapes.c COMPILER ${compiler} LINK ${link} FLAGS "${flags}" STATUS 42 ${modes})
endforeach()

pcomp_script(compilers LABELS noasan MODES decided)
# Minutes: only where it is asked for, with ctest -C compilers -R compilers_all.
add_test(NAME instrument_compilers_all COMMAND bash "${CMAKE_CURRENT_SOURCE_DIR}/compilers.sh" all
         CONFIGURATIONS compilers)
pcomp_case_environment(instrument_compilers_all decided)
set_tests_properties(instrument_compilers_all PROPERTIES LABELS "slow;noasan" TIMEOUT 3600)

# --- Jumps, exceptions, signals, coroutines ----------------------------------------------------------------------------
foreach(compiler gcc clang)
  pcomp_case(jumps_are_followed_${compiler} SOURCES jumps.c COMPILER ${compiler} FLAGS "-O2 -DJUMPS_KNOWN")
  pcomp_case(signals_at_any_instruction_${compiler} SOURCES signals.c COMPILER ${compiler} FLAGS -O2)
  pcomp_case(coroutines_keep_their_time_${compiler} SOURCES coroutines.c COMPILER ${compiler} FLAGS -O2 LABELS noasan)
endforeach()
pcomp_case(jumps_are_followed_unoptimised SOURCES jumps.c FLAGS "-O0 -DJUMPS_KNOWN")
pcomp_case(jumps_are_followed_preloaded SOURCES jumps.c LINK preload FLAGS "-O2 -DJUMPS_KNOWN" ONE_MODE)
pcomp_case(signals_at_any_instruction_static SOURCES signals.c LINK fullstatic FLAGS -O2)
pcomp_case(coroutines_by_address_are_counted SOURCES coroutines.c LINK fullstatic FLAGS "-O0 -DBY_ADDRESS")
pcomp_case(exceptions_gcc SOURCES mixed.cc mixed_c.c COMPILER g++ FLAGS "-O2 -DEXITS_RUN" STATUS 3)
pcomp_case(exceptions_gcc_static SOURCES mixed.cc mixed_c.c COMPILER g++ LINK static FLAGS "-O2 -DEXITS_RUN" STATUS 3 ONE_MODE)
pcomp_case(exceptions_gcc_preload SOURCES mixed.cc mixed_c.c COMPILER g++ LINK preload FLAGS "-O0 -DEXITS_RUN" STATUS 3 ONE_MODE)
pcomp_case(exceptions_clang SOURCES mixed.cc mixed_c.c COMPILER clang++ FLAGS -O2 STATUS 3)
pcomp_case(exceptions_clang_static SOURCES mixed.cc mixed_c.c COMPILER clang++ LINK static FLAGS "-O2 -DBY_ADDRESS"
           STATUS 3 ONE_MODE)

pcomp_case(handlers_that_jump SOURCES jumping_handlers.c FLAGS "-O2 -DJUMPS_KNOWN")
pcomp_case(handlers_that_jump_on_another_stack SOURCES jumping_handlers.c FLAGS "-O2 -DJUMPS_KNOWN -DOTHER_STACK")
pcomp_case(handlers_that_jump_by_address SOURCES jumping_handlers.c LINK static FLAGS -O2)
foreach(link shared static preload)
  pcomp_case(signals_on_another_stack_${link} SOURCES signals.c LINK ${link} FLAGS "-O2 -DOTHER_STACK")
endforeach()
pcomp_case(falling_below_a_lower_stack SOURCES falling_below.c FLAGS -O2 MODES counts)
pcomp_case(falling_before_setjmp SOURCES falling_before_setjmp.c FLAGS "-O2 -fno-optimize-sibling-calls" MODES counts)
pcomp_case(falling_before_setjmp_on_another_stack SOURCES falling_before_setjmp.c
           FLAGS "-O2 -fno-optimize-sibling-calls -DOTHER_STACK" MODES counts)
pcomp_case(jumps_by_address_are_counted SOURCES jumps.c LINK static FLAGS -O2)
pcomp_case(coroutines_that_never_end_count SOURCES coroutines_left.c FLAGS -O2 LABELS noasan)
foreach(compiler gcc clang)
  pcomp_case(inlined_and_growing_frames_${compiler} SOURCES inlined.c COMPILER ${compiler} FLAGS -O2)
  pcomp_case(inlined_and_growing_frames_${compiler}_unoptimised SOURCES inlined.c COMPILER ${compiler} FLAGS -O0)
endforeach()
pcomp_case(inlined_and_growing_frames_paper SOURCES inlined.c FLAGS -O2 OPTIONS "--model paper")

# --- Threads and processes ---------------------------------------------------------------------------------------------
pcomp_case(seldom_calls_are_all_timed SOURCES seldom.c FLAGS -O1 ONE_MODE)
pcomp_case(threads_come_and_go SOURCES threads.c FLAGS "-O2 -DTHREADS=1000" MODES full LABELS tsan)
pcomp_case(thread_records SOURCES thread_records.c FLAGS -O1 LABELS noasan)
if(NOT PCOMP_SANITIZE MATCHES "thread") # a library built with it sees its own locks no better
  pcomp_case(threads_come_and_go_counted SOURCES threads.c FLAGS "-O2 -DTHREADS=1000" MODES counts)
endif()
pcomp_case(threads_come_and_go_static SOURCES threads.c LINK fullstatic FLAGS "-O2 -DTHREADS=1000" MODES full)
pcomp_case(threads_come_and_go_preload SOURCES threads.c LINK preload FLAGS "-O2 -DTHREADS=1000" ONE_MODE)
foreach(link shared preload)
  pcomp_case(threads_measured_late_${link} SOURCES late_threads.c LINK ${link} FLAGS -O2)
endforeach()
pcomp_case(threads_measured_late SOURCES late_threads.c FLAGS -O2 OPTIONS "--budget 10")
pcomp_script(threads_wrapped LABELS noasan)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  pcomp_case(handlers_at_each_step_of_a_start SOURCES stepped_starts.c FLAGS "-O2 -D_GNU_SOURCE" MODES full)
  pcomp_traced(handlers_at_each_step_of_a_start SOURCES stepped_starts.c FLAGS "-O2 -D_GNU_SOURCE")
endif()
pcomp_case(exit_while_threads_call SOURCES exit_in_calls.c FLAGS -O2)
pcomp_case(processes_each_make_a_profile SOURCES processes.c FLAGS -O2)
pcomp_case(processes_each_make_a_profile_static SOURCES processes.c LINK fullstatic FLAGS -O2 ONE_MODE)
pcomp_case(processes_each_make_a_profile_preload SOURCES processes.c LINK preload FLAGS -O2 ONE_MODE)

# --- What threads do to each other, traced -----------------------------------------------------------------------------
foreach(compiler gcc clang)
  pcomp_traced(sync_known_${compiler} SOURCES sync_known.c COMPILER ${compiler} FLAGS -O2)
  pcomp_traced(sync_stress_${compiler} SOURCES sync_stress.c COMPILER ${compiler} FLAGS -O2)
  pcomp_traced(sync_signals_${compiler} SOURCES sync_signals.c COMPILER ${compiler} FLAGS -O2)
  pcomp_traced(sync_errors_${compiler} SOURCES sync_errors.c COMPILER ${compiler} FLAGS -O1 SAME)
  pcomp_traced(sync_cancelled_${compiler} SOURCES sync_cancelled.c COMPILER ${compiler} FLAGS -O1 SAME LABELS noasan)
  pcomp_traced(sync_early_${compiler} SOURCES sync_early.c COMPILER ${compiler} FLAGS -O0 SAME LABELS noasan)
endforeach()
pcomp_traced(sync_lone SOURCES sync_lone.c FLAGS "-O1 -D_GNU_SOURCE")
pcomp_traced(sync_lone_many_taken SOURCES sync_lone.c FLAGS "-O1 -D_GNU_SOURCE -DMANY_TAKEN")
pcomp_traced(sync_late SOURCES sync_late.c FLAGS -O2 LABELS noasan)
pcomp_traced(sync_errors_preload SOURCES sync_errors.c LINK preload FLAGS -O1 SAME)
pcomp_traced(sync_stress_preload SOURCES sync_stress.c LINK preload FLAGS -O2)
pcomp_traced(sync_stress_within_a_budget SOURCES sync_stress.c FLAGS -O2 OPTIONS "--budget-trace 64K")
pcomp_traced(sync_known_within_a_budget SOURCES sync_known.c FLAGS -O2 OPTIONS "--budget-trace 64K")
pcomp_traced(sync_stress_past_the_limit SOURCES sync_stress.c FLAGS "-O2 -DSECONDS=6" OPTIONS "--trace-limit 256K" LABELS
             slow)
pcomp_traced(sync_processes SOURCES sync_processes.c FLAGS -O1 LABELS noasan)
pcomp_traced(sync_processes_preload SOURCES sync_processes.c LINK preload FLAGS -O2 LABELS noasan)
foreach(program regions locks)
  pcomp_traced(openmp_${program}_gcc SOURCES openmp_${program}.c COMPILER gcc FLAGS "-O1 -fopenmp" LABELS noasan)
  pcomp_traced(openmp_${program}_gcc_preload SOURCES openmp_${program}.c COMPILER gcc LINK preload FLAGS "-O1 -fopenmp"
               LABELS noasan)
endforeach()
if(HAVE_OMPT)
  pcomp_traced(openmp_locks SOURCES openmp_locks.c COMPILER clang FLAGS "-O1 -fopenmp")
  pcomp_traced(openmp_regions SOURCES openmp_regions.c COMPILER clang FLAGS "-O1 -fopenmp")
  pcomp_traced(openmp_regions_preload SOURCES openmp_regions.c COMPILER clang LINK preload FLAGS "-O1 -fopenmp")
endif()

# --- Depth -------------------------------------------------------------------------------------------------------------
pcomp_case(recursion_100000_deep SOURCES deep.c FLAGS -O2)
pcomp_case(recursion_past_the_limit SOURCES deep.c FLAGS "-O2 -DDEPTH=1200000" MODES full LABELS noasan)

# --- pcomp.h -----------------------------------------------------------------------------------------------------------
pcomp_case(regions_left_open SOURCES regions_left.c FLAGS -O1)
pcomp_case(regions_from_cxx SOURCES regions.cc COMPILER g++ FLAGS -O2)
pcomp_case(regions_from_c SOURCES regions.cc FLAGS "-O2 -xc")
pcomp_case(regions_disabled SOURCES regions.cc FLAGS "-O2 -xc -DPCOMP_DISABLE" ONE_MODE)

# --- Options of record ---------------------------------------------------------------------------------------------------
foreach(options "--mode full --sampler off" "--model none" "--model paper" "--model split" "--clock monotonic" "--clock tsc-serial" "--call-sites"
        "--clock=monotonic --model=paper --call-sites")
  string(REGEX REPLACE "[^a-z]+" "_" name "call_shapes${options}")
  pcomp_case(${name} SOURCES call_shapes.c FLAGS -O2 OPTIONS "${options}" STATUS 42)
endforeach()
foreach(options "--clock monotonic" "--call-sites")
  string(REGEX REPLACE "[^a-z]+" "_" name "${options}")
  pcomp_case(signals${name} SOURCES signals.c FLAGS -O2 OPTIONS "${options}")
  pcomp_case(jumps${name} SOURCES jumps.c FLAGS "-O2 -DJUMPS_KNOWN" OPTIONS "${options}")
  pcomp_case(threads${name} SOURCES threads.c FLAGS -O2 OPTIONS "${options}" LABELS tsan)
  pcomp_case(processes${name} SOURCES processes.c FLAGS -O2 OPTIONS "${options}")
  pcomp_case(coroutines${name} SOURCES coroutines.c FLAGS -O2 OPTIONS "${options}" LABELS noasan)
endforeach()
pcomp_case(merged_ends SOURCES merged_ends.c FLAGS -O2 MODES counts)
pcomp_case(merged_ends_once SOURCES merged_ends.c FLAGS "-O2 -DONCE" MODES counts)
pcomp_case(recursion_folds SOURCES folding.c FLAGS -O2 OPTIONS --fold-recursion)
pcomp_case(recursion_folds_raw SOURCES folding.c FLAGS -O1 OPTIONS "--fold-recursion --model none")
pcomp_case(call_sites_part_calls SOURCES sites.c FLAGS "-O0 -DBY_SITE" OPTIONS --call-sites)
pcomp_case(functions_alone_join_calls SOURCES sites.c FLAGS -O0 ONE_MODE)
if(HAVE_LIBUNWIND)
  set(native "-DLIBRARIES_LOADED") # libunwind keeps descriptors of its own
  pcomp_case(native_frames_between SOURCES sites.c FLAGS "-O0 -DBY_SITE -DNATIVE ${native}" OPTIONS --native-frames)
  pcomp_case(native_frames_call_shapes SOURCES call_shapes.c FLAGS "-O2 ${native}" OPTIONS --native-frames STATUS 42)
  pcomp_case(native_frames_processes SOURCES processes.c FLAGS "-O2 ${native}" OPTIONS --native-frames)
  pcomp_case(native_frames_threads SOURCES threads.c FLAGS "-O2 ${native}" OPTIONS --native-frames)
endif()
if(HAVE_PAPI)
  set(papi "-DLIBRARIES_LOADED")
  pcomp_case(counters_of_a_function SOURCES faults.c FLAGS "-O2 ${papi}" OPTIONS "--counters perf::PAGE-FAULTS" LABELS
             noasan)
  pcomp_case(counters_processes SOURCES processes.c FLAGS "-O2 ${papi}" OPTIONS "--counters perf::PAGE-FAULTS" LABELS
             noasan)
  pcomp_case(counters_threads SOURCES threads.c FLAGS "-O2 -DTHREADS=200 ${papi}" OPTIONS
             "--counters perf::PAGE-FAULTS" LABELS noasan)
endif()
pcomp_script(filters)

# --- Filtered functions are counted exactly, whatever happens -------------------------------------------------------------
foreach(options "--only main" "--skip [a-m]*")
  string(REGEX REPLACE "[^a-z]+" "_" name "filtered${options}")
  pcomp_case(${name}_call_shapes SOURCES call_shapes.c FLAGS -O2 OPTIONS "--counts exact ${options}" STATUS 42)
  pcomp_case(${name}_signals SOURCES signals.c FLAGS -O2 OPTIONS "--counts exact ${options}")
  pcomp_case(${name}_signals_full SOURCES signals.c FLAGS -O2 OPTIONS "${options} --mode full")
  pcomp_case(${name}_signals_on_another_stack SOURCES signals.c FLAGS "-O2 -DOTHER_STACK" OPTIONS "--counts exact ${options}")
  pcomp_case(${name}_handlers_that_jump SOURCES jumping_handlers.c FLAGS "-O2 -DJUMPS_KNOWN" OPTIONS "--counts exact ${options}")
  pcomp_case(${name}_jumps SOURCES jumps.c FLAGS "-O2 -DJUMPS_KNOWN" OPTIONS "--counts exact ${options}")
  pcomp_case(${name}_exceptions SOURCES mixed.cc mixed_c.c COMPILER g++ FLAGS "-O2 -DEXITS_RUN" STATUS 3 OPTIONS
             "--counts exact ${options}")
  pcomp_case(${name}_coroutines SOURCES coroutines.c FLAGS -O2 OPTIONS "--counts exact ${options}" LABELS noasan)
  pcomp_case(${name}_recursion SOURCES deep.c FLAGS -O2 OPTIONS "--counts exact ${options}")
  pcomp_case(${name}_inlined SOURCES inlined.c FLAGS -O2 OPTIONS "--counts exact ${options}")
  pcomp_case(${name}_regions SOURCES regions.cc COMPILER g++ FLAGS -O2 OPTIONS "--counts exact ${options}")
  pcomp_case(${name}_threads SOURCES threads.c FLAGS "-O2 -DTHREADS=300" OPTIONS "--counts exact ${options}")
  pcomp_case(${name}_threads_full SOURCES threads.c FLAGS "-O2 -DTHREADS=300" OPTIONS "${options} --mode full" LABELS tsan)
endforeach()
pcomp_case(filtered_static SOURCES threads.c LINK fullstatic FLAGS "-O2 -DTHREADS=300" OPTIONS "--counts exact --only main")
pcomp_case(filtered_processes SOURCES processes.c FLAGS -O2 OPTIONS "--counts exact --skip [a-m]*")

# --- Forms of sites: hook calls and sleds, timed and counted in place ------------------------------------------------------
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  include(site_cases.cmake)
endif()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  pcomp_case(handlers_that_make_the_stack_grow SOURCES growing_handlers.c FLAGS -O2 MODES full LABELS noasan)
endif()

# --- Hooks need little of the program's stack (linked so that no first call is bound by the loader, on that stack) --------
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  foreach(compiler gcc clang-sleds)
    foreach(options "--mode full --sampler off" "--sampler off" "--mode full --clock monotonic")
      string(REGEX REPLACE "[^a-z]+" "_" name "hooks_need_little_stack_${compiler}_${options}")
      pcomp_case(${name} SOURCES painted_stacks.c COMPILER ${compiler} FLAGS "-O1 -D_GNU_SOURCE -Wl,-z,now" OPTIONS
                 "${options}" LABELS noasan)
    endforeach()
    foreach(options "" "--budget-trace 64K")
      string(REGEX REPLACE "[^a-z]+" "_" name "hooks_need_little_stack_${compiler}_trace${options}")
      pcomp_case(${name} SOURCES painted_stacks.c COMPILER ${compiler} FLAGS "-O1 -D_GNU_SOURCE -Wl,-z,now" OPTIONS
                 "${options}" TRACE LABELS noasan)
    endforeach()
    pcomp_case(hooks_need_little_stack_${compiler}_filtered SOURCES painted_stacks.c COMPILER ${compiler} FLAGS
               "-O1 -D_GNU_SOURCE -Wl,-z,now -DSKIPPED" OPTIONS "--mode full --sampler off --skip leaf" LABELS noasan)
    # A signal of the sampler needs a frame of the kernel there.
    foreach(options "--mode full --sampler off" "--sampler off")
      string(REGEX REPLACE "[^a-z]+" "_" name "main_finds_nothing_on_its_stack_${compiler}_${options}")
      pcomp_case(${name} SOURCES unset_locals.c COMPILER ${compiler} FLAGS "-O1 -D_GNU_SOURCE" OPTIONS "${options}" LABELS
                 noasan)
    endforeach()
    pcomp_case(main_finds_nothing_on_its_stack_${compiler}_trace SOURCES unset_locals.c COMPILER ${compiler} FLAGS
               "-O1 -D_GNU_SOURCE" OPTIONS "--sampler off" TRACE LABELS noasan)
  endforeach()
endif()

# --- The world around the process ------------------------------------------------------------------------------------------
pcomp_script(endings AND_TRACE)
pcomp_script(thread_sanitizer MODES counts full trace decided LABELS noasan)
pcomp_script(locked_in MODES counts full trace LABELS noasan)
pcomp_script(late_limits MODES counts full trace LABELS noasan)
pcomp_script(lacking_memory LABELS noasan)
pcomp_script(plugins AND_TRACE)
pcomp_script(in_loader LABELS noasan MODES counts full decided)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  pcomp_script(budgets LABELS noasan MODES decided)
  pcomp_script(unloading LABELS noasan MODES decided)
  if(TEST instrument_budgets_decided)
    set_tests_properties(instrument_budgets_decided PROPERTIES TIMEOUT 900) # twenty programs
  endif()
endif()
pcomp_script(arm64 LABELS noasan MODES decided)
if(TEST instrument_arm64_decided)
  set_tests_properties(instrument_arm64_decided PROPERTIES TIMEOUT 900) # the library is built
endif()
pcomp_script(limits LABELS slow noasan ONE_MODE)
pcomp_script(data_directory LABELS noasan ONE_MODE)
pcomp_script(valgrind LABELS slow noasan ONE_MODE)
if(TEST instrument_valgrind_counts) # valgrind's threads take turns, and wait longer beside other tests than it knows
  set_tests_properties(instrument_valgrind_counts PROPERTIES RUN_SERIAL ON)
endif()
foreach(link shared fullstatic preload)
  pcomp_case(own_malloc_${link} SOURCES own_malloc.c LINK ${link} FLAGS "-O2 -fno-builtin" LABELS noasan ONE_MODE)
endforeach()

# --- Traces: every event, in order, whatever happens -------------------------------------------------------------------
foreach(link shared static fullstatic preload)
  set(creates 8)
  if(link MATCHES static) # pthread_create is not seen
    set(creates 0)
  endif()
  pcomp_case(trace_sequences_${link} SOURCES steps.c LINK ${link} FLAGS "-O2 -DCREATES=${creates}" TRACE)
endforeach()
set(creates 1000)
if(PCOMP_SANITIZE MATCHES "thread") # its own wrapper of pthread_create comes first
  set(creates 0)
endif()
pcomp_case(trace_sequences_of_1000_threads SOURCES steps.c FLAGS "-O2 -DCREATES=${creates} -DTHREADS=1000 -DEVENTS=2000" TRACE
           LABELS tsan)
pcomp_case(trace_sequences_by_another_clock SOURCES steps.c FLAGS "-O2 -DCREATES=8" OPTIONS "--clock monotonic" TRACE)
pcomp_case(trace_call_shapes SOURCES call_shapes.c FLAGS -O2 STATUS 42 TRACE)
pcomp_case(trace_call_shapes_clang SOURCES call_shapes.c COMPILER clang FLAGS -O3 STATUS 42 TRACE)
foreach(link shared preload)
  pcomp_case(trace_jumps_${link} SOURCES jumps.c LINK ${link} FLAGS "-O2 -DJUMPS_KNOWN" TRACE)
  pcomp_case(trace_signals_${link} SOURCES signals.c LINK ${link} FLAGS -O2 TRACE)
endforeach()
pcomp_case(trace_signals_static SOURCES signals.c LINK fullstatic FLAGS -O2 TRACE)
pcomp_case(trace_signals_on_another_stack SOURCES signals.c FLAGS "-O2 -DOTHER_STACK" TRACE)
pcomp_case(trace_exceptions SOURCES mixed.cc mixed_c.c COMPILER g++ FLAGS "-O2 -DEXITS_RUN" STATUS 3 TRACE)
pcomp_case(trace_threads SOURCES threads.c FLAGS "-O2 -DTHREADS=1000" TRACE LABELS tsan)
pcomp_case(trace_exit_while_threads_call SOURCES exit_in_calls.c FLAGS -O2 TRACE)
pcomp_case(trace_processes SOURCES processes.c FLAGS -O2 TRACE)
pcomp_case(trace_regions SOURCES regions.cc COMPILER g++ FLAGS "-O2 -DTRACED" TRACE)
pcomp_case(trace_recursion SOURCES deep.c FLAGS -O2 TRACE)
# Within so small a budget most functions are held soon: no call may be missing for that.
foreach(link shared static)
  pcomp_case(trace_budget_shapes_${link} SOURCES call_shapes.c LINK ${link} FLAGS -O2 STATUS 42 OPTIONS "--budget-trace 64K" TRACE)
  pcomp_case(trace_budget_signals_${link} SOURCES signals.c LINK ${link} FLAGS -O2 OPTIONS "--budget-trace 64K" TRACE)
endforeach()
pcomp_case(trace_budget_shapes_clang SOURCES call_shapes.c COMPILER clang FLAGS -O3 STATUS 42 OPTIONS "--budget-trace 64K" TRACE)
pcomp_case(trace_budget_jumps SOURCES jumps.c FLAGS "-O2 -DJUMPS_KNOWN" OPTIONS "--budget-trace 64K" TRACE)
pcomp_case(trace_budget_other_stacks SOURCES signals.c FLAGS "-O2 -DOTHER_STACK" OPTIONS "--budget-trace 64K" TRACE)
pcomp_case(trace_budget_exceptions SOURCES mixed.cc mixed_c.c COMPILER g++ FLAGS "-O2 -DEXITS_RUN" STATUS 3
           OPTIONS "--budget-trace 64K" TRACE)
pcomp_case(trace_budget_threads SOURCES threads.c FLAGS "-O2 -DTHREADS=1000" OPTIONS "--budget-trace 64K" TRACE LABELS tsan)
pcomp_case(trace_budget_processes SOURCES processes.c FLAGS -O2 OPTIONS "--budget-trace 64K" TRACE)
pcomp_case(trace_budget_regions SOURCES regions.cc COMPILER g++ FLAGS "-O2 -DTRACED" OPTIONS "--budget-trace 64K" TRACE)
pcomp_case(trace_budget_recursion SOURCES deep.c FLAGS -O2 OPTIONS "--budget-trace 64K" TRACE)
pcomp_case(trace_budget_inlined SOURCES inlined.c FLAGS -O2 OPTIONS "--budget-trace 64K" TRACE)
pcomp_case(trace_thread_ends SOURCES thread_ends.c FLAGS -O2 TRACE)
pcomp_script(trace_files LABELS noasan TRACE)
pcomp_script(trace_counted LABELS noasan TRACE)
pcomp_script(trace_spins LABELS noasan TRACE)
pcomp_script(unruled_waits LABELS noasan TRACE)

# --- Samples all along (the default), of a program that must not see them ------------------------------------------------
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  foreach(sampler timer perf)
    pcomp_case(sampled_blocking_calls_${sampler} SOURCES blocking_calls.c FLAGS "-O1 -D_GNU_SOURCE" MODES counts OPTIONS
               "--sampler ${sampler}" LABELS noasan)
  endforeach()
  foreach(link shared preload)
    pcomp_case(sampled_execs_${link} SOURCES execs.c LINK ${link} FLAGS "-O1 -D_GNU_SOURCE" MODES counts LABELS noasan)
  endforeach()
  foreach(sampler timer perf)
    pcomp_case(sampled_failing_execs_${sampler} SOURCES execs.c FLAGS "-O1 -D_GNU_SOURCE -DFAILING" MODES counts OPTIONS
               "--sampler ${sampler}" LABELS noasan)
  endforeach()
  pcomp_case(sampled_deep_stacks SOURCES deep_samples.c FLAGS "-O1 -fno-optimize-sibling-calls -D_GNU_SOURCE" MODES counts LABELS noasan)
  foreach(link shared preload)
    pcomp_case(sampled_own_signals_${link} SOURCES own_signals.c LINK ${link} FLAGS "-O1 -D_GNU_SOURCE" MODES counts
               decided LABELS noasan)
  endforeach()
  pcomp_case(sampled_own_signals_blocked_before SOURCES own_signals.c FLAGS "-O1 -D_GNU_SOURCE -DBLOCKED_BEFORE" MODES
             counts LABELS noasan)
  foreach(program small_stacks sampled_forks)
    string(REPLACE "sampled_" "" name "${program}")
    pcomp_case(sampled_${name}_gcc SOURCES ${program}.c FLAGS "-O1 -D_GNU_SOURCE" MODES counts decided LABELS noasan)
    pcomp_case(sampled_${name}_timer SOURCES ${program}.c COMPILER clang-sleds FLAGS "-O1 -D_GNU_SOURCE" MODES counts
               OPTIONS "--sampler timer" LABELS noasan)
    pcomp_case(sampled_${name}_static SOURCES ${program}.c LINK fullstatic FLAGS "-O1 -D_GNU_SOURCE -DUNSEEN_THREADS"
               MODES counts LABELS noasan)
  endforeach()
  pcomp_case(sampled_blocking_calls_static SOURCES blocking_calls.c LINK fullstatic FLAGS
             "-O1 -D_GNU_SOURCE -DROUNDS=10" MODES counts LABELS noasan)
  pcomp_script(sampled_report LABELS noasan MODES decided)
  pcomp_script(slow_system_calls LABELS noasan MODES decided)
  pcomp_script(switching LABELS noasan MODES decided)
  pcomp_script(file_of_program LABELS noasan MODES decided)
endif()

