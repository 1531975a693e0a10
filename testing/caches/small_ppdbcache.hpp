#pragma once
/// A small assembly that uses every field of the ppdbcache.
#include "testing/caches/own_assembly.hpp"

namespace symcached::testkit {

/// 7 methods, an async one with its MoveNext, a large one, one in two documents.
inline OwnAssembly small_assembly() {
  OwnAssembly all;
  for (std::uint8_t i = 0; i < 16; ++i) all.debug_id.guid.bytes[i] = i;
  all.debug_id.age = 0xC0FFEE11;
  all.documents = {{"/src/App/Program.cs", model::Language::csharp}, {"/src/App/Table.fs", model::Language::fsharp}};
  OwnMethod large{.row = 200, .name = "App.Table.Fill"};
  for (std::uint32_t i = 0; i < 100; ++i)
    large.points.push_back({.il_offset = i * 9, .document = 1, .line = 40 + i % 7, .column = 5});
  all.methods = {
      {.row = 1, .name = "App.Program.Main", .points = {{0, 0, 12, 9}, {1, 0, 13, 13}, {24, 0, 15, 9}}},
      {.row = 2, .name = "App.Program.LoadAsync"},
      {.row = 5, .name = "App.Program..ctor", .points = {{0, 0, 7, 5}, {7, 1, 3, 2}, {900, 0, 70000, 700}}},
      {.row = 6, .points = {{14, 1, 9000, 1}}},
      {.row = 64, .name = "App.Table.Name[T]"},
      {.row = 70,
       .name = "App.Program.<LoadAsync>d__1.MoveNext",
       .kickoff = 2,
       .points = {{0, 0, 20, 9}, {30, 0, 21, 9}}},
      large,
  };
  return all;
}

/// Small enough to try every cut and every flipped bit of it.
inline OwnAssembly tiny_assembly() {
  OwnAssembly all = small_assembly();
  all.methods.pop_back();
  OwnMethod large{.row = 71};
  for (std::uint32_t i = 0; i < 50; ++i) large.points.push_back({.il_offset = i, .line = 1 + i, .column = 1});
  all.methods.push_back(large);
  return all;
}

}  // namespace symcached::testkit
