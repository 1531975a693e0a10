#pragma once
/// Small modules that answer, one of native code and one of .NET.
#include <stdexcept>

#include "symbolize/module.hpp"
#include "testing/caches/own_module.hpp"
#include "testing/caches/small_ppdbcache.hpp"

namespace symcached::testkit {

/// At 0x1000: ns::outer(int), from offset 4 on with std::get<int>() inlined, in a folder of Windows.
inline std::vector<OwnFunction> answering_functions() {
  OwnFunction outer{.start = 0x1000, .size = 0x20, .name = "_ZN2ns5outerEi", .linkage_name = "_ZN2ns5outerEl"};
  outer.language = model::Language::cpp;
  outer.calls = {{.name = "_ZSt3getIiEvv", .file = "C:\\src\\a \"b\".cpp", .line = 12, .column = 5}};
  outer.lines = {{.offset = 0, .line = 10, .column = 1, .file = "C:\\src\\a \"b\".cpp"},
                 {.offset = 4, .line = 3, .file = "/usr/include/utility", .inlinee = 0}};
  OwnFunction nameless{.start = 0x3000, .size = 4, .lines = {{.line = 1, .file = "x.s"}}};
  return {outer, {.start = 0x2000, .size = 4, .name = "plain"}, nameless};
}

inline symbolize::Module module_of(std::vector<std::byte> cache) {
  auto module = symbolize::Module::own(std::move(cache));
  if (!module) throw std::runtime_error(module.error());
  return *std::move(module);
}

inline symbolize::Module native_module() { return module_of(write(answering_functions())); }
inline symbolize::Module managed_module() { return module_of(write(small_assembly())); }

}  // namespace symcached::testkit
