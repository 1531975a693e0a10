# sc_folder(path LINKS lib...): one folder, one library. Sources are the folder's *.cpp; beside them
# *_test.cpp make one test program, every *_fuzz.cpp a fuzz target, *_bench.cpp one benchmark program.
# LINKS names other folders of ours or imported targets; a folder links only what it includes.
# Tests have the label of their top-level folder. Those of the folders in SC_SERVER_FOLDERS, which wait and share
# between threads, have the label `server` besides, and the target server_tests builds what they run.
find_package(fmt REQUIRED)
find_package(GTest REQUIRED)
find_package(Threads REQUIRED)
find_package(benchmark QUIET)

add_library(sc_options INTERFACE)
target_include_directories(sc_options INTERFACE ${CMAKE_SOURCE_DIR})
# Files that are compiled as one shadow each other's types: nothing that -Wshadow should mind.
target_compile_options(sc_options INTERFACE -Wall -Wextra -Wpedantic
  $<$<NOT:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:-Wshadow> -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wno-missing-field-initializers -Werror=return-type)
# GCC 12's <algorithm> uses what C++17 deprecates; GCC is silent about its own headers, clang is not.
target_compile_options(sc_options INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # libstdc++ 12 implements std::stable_sort with what it declares deprecated itself.
  target_compile_options(sc_options INTERFACE -Wno-deprecated-declarations)
endif()
# Coroutine frames above 1,020 bytes: GCC 12 inlines one half of asio's own new and delete, then misses the other half.
target_compile_options(sc_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-mismatched-new-delete>)
option(SC_WERROR "warnings are errors" ON)
if(SC_WERROR)
  target_compile_options(sc_options INTERFACE -Werror)
endif()
if(SC_SANITIZE)
  target_compile_options(sc_options INTERFACE -fsanitize=${SC_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(sc_options INTERFACE -fsanitize=${SC_SANITIZE})
endif()
if(SC_FUZZ)
  target_compile_options(sc_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  find_program(SC_LLD NAMES ld.lld-22)
  if(SC_LLD)  # in a third of the time of GNU ld
    target_link_options(sc_options INTERFACE --ld-path=${SC_LLD})
  endif()
endif()

# main() of the fuzz targets where libFuzzer is not
if(NOT SC_FUZZ)
  add_library(sc_replay OBJECT ${CMAKE_SOURCE_DIR}/testing/replay_main.cpp)
  target_link_libraries(sc_replay PRIVATE sc_options)
  target_compile_options(sc_replay PRIVATE $<$<CONFIG:Release>:-O1>)
endif()

set(SC_SERVER_FOLDERS net auth fetch store service transcode worker client api library profiling)
add_custom_target(server_tests)

function(sc_label test path)
  string(REGEX MATCH "^[^/]+" top ${path})
  set(labels ${top})
  if(top IN_LIST SC_SERVER_FOLDERS)
    list(APPEND labels server)
  endif()
  set_tests_properties(${test} PROPERTIES LABELS "${labels}")
endfunction()

# sc_needed_by_tests(path target): the target is built for the tests of the server when the folder is one of theirs.
function(sc_needed_by_tests path target)
  string(REGEX MATCH "^[^/]+" top ${path})
  if(top IN_LIST SC_SERVER_FOLDERS)
    add_dependencies(server_tests ${target})
  endif()
endfunction()

# sc_test_options(path target): half of a clean build is tests, so they have few optimizations; what they test has all.
# With a sanitizer the server's have none, which halves the time again: they wait more than they compute. The others
# would run for longer than the compiler saves, as inline functions of what they test are linked from the tests.
function(sc_test_options path target)
  string(REGEX MATCH "^[^/]+" top ${path})
  set(level 1)
  if(SC_SANITIZE AND top IN_LIST SC_SERVER_FOLDERS)
    set(level 0)
  endif()
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O${level}>)
endfunction()

function(sc_target_of out link)
  string(REPLACE "/" "_" name "sc_${link}")
  if(TARGET ${name})
    set(${out} ${name} PARENT_SCOPE)
  else()
    set(${out} ${link} PARENT_SCOPE)
  endif()
endfunction()

function(sc_folder path)
  cmake_parse_arguments(ARG "" "" "LINKS;TEST_LINKS" ${ARGN})
  string(REPLACE "/" "_" name ${path})
  set(links "")
  foreach(link IN LISTS ARG_LINKS)
    sc_target_of(target ${link})
    list(APPEND links ${target})
  endforeach()
  set(test_links "")
  foreach(link IN LISTS ARG_TEST_LINKS)
    sc_target_of(target ${link})
    list(APPEND test_links ${target})
  endforeach()

  file(GLOB sources CONFIGURE_DEPENDS ${path}/*.cpp)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  set(fuzzers ${sources})
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cpp$")
  set(benches ${sources})
  list(FILTER benches INCLUDE REGEX "_bench\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz|bench)\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")

  if(sources)
    add_library(sc_${name} STATIC ${sources})
    target_link_libraries(sc_${name} PUBLIC sc_options ${links})
    # Names that are one in the whole process cannot be kept inside of libsymcached.
    target_compile_options(sc_${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
  else()
    add_library(sc_${name} INTERFACE)
    target_link_libraries(sc_${name} INTERFACE sc_options ${links})
  endif()

  if(tests AND NOT SC_FUZZ)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE sc_${name} ${test_links} GTest::gmock GTest::gtest_main)
    sc_test_options(${path} ${name}_test)
    add_test(NAME ${path} COMMAND ${name}_test WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    sc_label(${path} ${path})
    sc_needed_by_tests(${path} ${name}_test)
  endif()

  foreach(source IN LISTS fuzzers)
    get_filename_component(stem ${source} NAME_WE)
    set(target ${name}_${stem})
    add_executable(${target} ${source})
    target_link_libraries(${target} PRIVATE sc_${name} ${test_links})
    if(SC_FUZZ)
      target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    else()
      target_link_libraries(${target} PRIVATE sc_replay)
      sc_test_options(${path} ${target})
      add_test(NAME fuzz/${target} COMMAND ${target} ${CMAKE_SOURCE_DIR}/${path}/fuzz_corpus/${stem})
      sc_label(fuzz/${target} ${path})
      sc_needed_by_tests(${path} ${target})
    endif()
  endforeach()

  if(benches AND benchmark_FOUND AND NOT SC_FUZZ AND NOT SC_SANITIZE)
    add_executable(${name}_bench ${benches})
    target_link_libraries(${name}_bench PRIVATE sc_${name} ${test_links} benchmark::benchmark_main)
    # Google Benchmark's macros use __COUNTER__, which clang 22 calls an extension: a warning there.
    target_compile_options(${name}_bench PRIVATE $<$<CXX_COMPILER_ID:Clang>:-Wno-error=c2y-extensions>)
  endif()
endfunction()
