# C of the schemas of pprof and Perfetto, made by protobuf-c: a library of its own, which is compiled without our warnings.
pkg_check_modules(PROTOBUF_C REQUIRED IMPORTED_TARGET libprotobuf-c)
find_program(PROTOC_C protoc-c REQUIRED)

set(protobuf_dir "${CMAKE_BINARY_DIR}/generated/reporters/export")
file(MAKE_DIRECTORY "${protobuf_dir}")
foreach(schema pprof perfetto)
  add_custom_command(OUTPUT "${protobuf_dir}/${schema}.pb-c.c" "${protobuf_dir}/${schema}.pb-c.h"
    COMMAND "${PROTOC_C}" "--proto_path=${CMAKE_CURRENT_LIST_DIR}" "--c_out=${protobuf_dir}" ${schema}.proto
    DEPENDS "${CMAKE_CURRENT_LIST_DIR}/${schema}.proto" VERBATIM)
  list(APPEND protobuf_sources "${protobuf_dir}/${schema}.pb-c.c")
  list(APPEND protobuf_headers "${protobuf_dir}/${schema}.pb-c.h")
endforeach()
add_library(pcomp_protobuf STATIC ${protobuf_sources} ${protobuf_headers})
target_link_libraries(pcomp_protobuf PUBLIC PkgConfig::PROTOBUF_C)
