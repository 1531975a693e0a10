# sc_llvm_demangle: LLVM's demanglers, and no other part of LLVM. They know no bounds: a hostile name can make them take
# all memory. So this build links a copy of the library that asks demangle/llvm_memory.cpp for memory, where it is
# counted; the copy lies in the build folder.
find_library(SC_LLVM_DEMANGLE LLVMDemangle PATHS /usr/lib/llvm-22/lib REQUIRED NO_DEFAULT_PATH)
find_path(SC_LLVM_INCLUDE llvm/Demangle/ItaniumDemangle.h PATHS /usr/include/llvm-22 REQUIRED NO_DEFAULT_PATH)
find_program(SC_OBJCOPY NAMES objcopy llvm-objcopy-22 REQUIRED)

set(bounded ${CMAKE_BINARY_DIR}/libLLVMDemangleBounded.a)
execute_process(COMMAND ${SC_OBJCOPY}
  --redefine-sym malloc=symcached_demangle_malloc
  --redefine-sym realloc=symcached_demangle_realloc
  --redefine-sym free=symcached_demangle_free
  --redefine-sym abort=symcached_demangle_abort
  --redefine-sym _Znwm=symcached_demangle_new
  --redefine-sym _Znam=symcached_demangle_new_array
  --redefine-sym _ZdlPvm=symcached_demangle_delete
  --redefine-sym _ZdaPv=symcached_demangle_delete_array
  ${SC_LLVM_DEMANGLE} ${bounded} COMMAND_ERROR_IS_FATAL ANY)

add_library(sc_llvm_demangle STATIC IMPORTED)
set_target_properties(sc_llvm_demangle PROPERTIES IMPORTED_LOCATION ${bounded})
target_include_directories(sc_llvm_demangle SYSTEM INTERFACE ${SC_LLVM_INCLUDE})
