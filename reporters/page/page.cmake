# The page's HTML, style and script as one C file; the scripts in the order in which they are read.
set(page_scripts page_format.js page_dom.js page_data.js page_layout.js page_graph.js page_table.js page_head.js
  page_selected.js page_source.js page_timeline.js page_main.js)
set(PCOMP_PAGE_ASSETS "${CMAKE_BINARY_DIR}/generated/page_assets.c")
set(page_folder "${CMAKE_CURRENT_LIST_DIR}")
string(REPLACE ";" "," page_script_list "${page_scripts}")
set(page_sources ${page_scripts} page.html page.css embed.cmake)
list(TRANSFORM page_sources PREPEND "${page_folder}/")
add_custom_command(OUTPUT "${PCOMP_PAGE_ASSETS}"
  COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${page_folder}" "-DSCRIPTS=${page_script_list}" "-DOUTPUT=${PCOMP_PAGE_ASSETS}"
          -P "${page_folder}/embed.cmake"
  DEPENDS ${page_sources}
  COMMENT "Embedding the page of pcomp html" VERBATIM)
