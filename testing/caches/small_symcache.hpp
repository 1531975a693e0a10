#pragma once
/// A module of a few functions that uses every field of the symcache.
#include "testing/caches/own_module.hpp"

namespace symcached::testkit {

inline model::Module named_module() {
  model::Module module{.arch = model::Arch::x86_64, .debug_file = "small.pdb", .producer_kind = "pdb"};
  for (std::uint8_t i = 0; i < 16; ++i) module.debug_id.guid.bytes[i] = i;
  module.debug_id.age = 3;
  return module;
}

inline std::vector<OwnFunction> small_functions() {
  OwnFunction main{.start = 0x1000, .size = 0x40, .name = "app::main", .linkage_name = "?main@app@@YAXXZ"};
  main.language = model::Language::cpp;
  main.parameters = "(int, char**)";
  main.calls = {{.name = "app::read", .file = "src/main.cpp", .line = 12},
                {.caller = 0, .name = "get", .file = "lib/io.h", .line = 7, .parameters = "() const"}};
  main.lines = {{.offset = 0, .line = 10, .file = "src/main.cpp"},
                {.offset = 4, .line = 3, .file = "lib/io.h", .inlinee = 1},
                {.offset = 9, .line = 8, .file = "lib/io.h", .inlinee = 0},
                {.offset = 16, .line = 13, .file = "src/main.cpp"},
                {.offset = 32},
                {.offset = 48, .line = 2, .file = "gen/table.inc"}};
  OwnFunction folded{.start = 0x1100, .size = 2, .name = "A::empty", .lines = {{.line = 5, .file = "src/a.cpp"}}};
  OwnFunction alias{.start = 0x1100, .size = 2, .name = "B::empty", .linkage_name = "?empty@B@@", .rank = 1};
  OwnFunction outer{.start = 0x2000, .size = 0x1000, .name = "outer"};
  for (std::uint32_t i = 0; i < 200; ++i)
    outer.lines.push_back({.offset = i * 11, .line = 100 + i * i % 37, .file = "src/outer.cpp"});
  OwnFunction inner{.start = 0x2400, .size = 0x10, .name = "inner", .kind = model::SymbolKind::thunk};
  OwnFunction cold{
      .start = 0x4000, .size = 8, .name = "app::main", .kind = model::SymbolKind::cold_part, .parent = 0x1000};
  return {main, folded, alias, outer, inner, cold};
}

/// Small enough to try every cut and every flipped bit of it.
inline std::vector<OwnFunction> tiny_functions() {
  OwnFunction f{.start = 0x1000, .size = 40, .name = "f", .linkage_name = "_f"};
  f.calls = {{.name = "g", .file = "a.c", .line = 4}};
  f.lines = {{.offset = 1, .line = 3, .file = "a.c"},
             {.offset = 5, .line = 9, .file = "b.h", .inlinee = 0},
             {.offset = 30, .line = 5, .file = "a.c"}};
  return {f, {.start = 0x1000, .size = 40, .name = "f2", .rank = 1}, {.start = 0x1010, .size = 4, .name = "h"}};
}

}  // namespace symcached::testkit
