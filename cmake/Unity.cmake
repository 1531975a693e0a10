# SC_UNITY: several files of a folder are compiled as one, ten at a time, which takes less than half the time: "all" in
# the sanitizers' builds and in CI. Elsewhere every file is compiled alone.
# The files listed here always are, as they have a name in an anonymous namespace that another file of their folder
# has, too. Where the compiler says "redefinition", rename one, or add its file.
set(SC_UNITY "$ENV{SC_UNITY}" CACHE STRING "all: compile several files at a time; empty: each alone")
set(CMAKE_UNITY_BUILD_BATCH_SIZE 10)
if(SC_UNITY STREQUAL "all")
  set(CMAKE_UNITY_BUILD ON)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-subobject-linkage)  # it takes a file that is included for a header
  endif()
endif()
set_source_files_properties(
  base/inflate_to.cpp base/inflate_stream_test.cpp base/inflate_to_test.cpp formats/dwarf/line_header.cpp
  formats/dwarf/unit.cpp formats/dwarf/unit_test.cpp demangle/llvm_memory.cpp symcache/writer.cpp
  object/dwarf/in_macho.cpp object/dwarf/in_pe.cpp object/dwarf/names.cpp object/dwarf/split.cpp
  object/dwarf/units.cpp object/dwarf/translate_test.cpp object/dwarf/units_test.cpp
  object/text/translate_perf_map_test.cpp object/pdb/omap.cpp object/pdb/translate.cpp object/pe/translate_test.cpp
  profiling/sampling/lock_hook.cpp
  profiling/connection.cpp profiling/http_head.cpp profiling/listen_address.cpp profiling/text.cpp profiling/token.cpp
  profiling/server_test.cpp profiling/proto_test.cpp
  net/send.cpp sources/file_pointer.cpp sources/module_ids.cpp sources/module_line.cpp sources/symbol_path.cpp
  sources/path_words.cpp
  sources/windows_path.cpp sources/module_ids_test.cpp sources/module_list_test.cpp store/reading.cpp
  store/work_list.cpp store/journal_test.cpp store/left_overs_test.cpp store/marker_test.cpp store/quotas_test.cpp
  fetch/gcs_endpoint.cpp fetch/http_source.cpp fetch/sigv4.cpp fetch/loose_folder_test.cpp fetch/s3_endpoint_test.cpp
  fetch/source_test.cpp fetch/text_fetcher_test.cpp symbolize/render_llvm_test.cpp config/source_schema.cpp
  config/source_schema_test.cpp app/cache_add.cpp app/cache_ls.cpp
  app/cache_purge.cpp app/cache_stat.cpp app/cache_verify.cpp
  app/cache_warm.cpp app/cleanup.cpp app/commands.cpp app/config.cpp app/convert.cpp app/inspect.cpp app/lookup.cpp
  app/serve_options.cpp app/symbolicate.cpp app/warmer_test.cpp
  app/fetch.cpp app/symcachegen.cpp service/cache_query_test.cpp service/source_files_test.cpp
  library/fetch_debug_file.cpp library/fetch_debug_file_test.cpp
  service/worker_reader_test.cpp stacks/explain_test.cpp stacks/symbolicate_test.cpp transcode/remote_transcoders.cpp
  transcode/remote_transcoders_test.cpp transcode/transcoder_test.cpp
  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
