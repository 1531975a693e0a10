#pragma once
/// A small PDB with one of everything that is read: the start of fuzz corpora and of tests that damage a file.
#include "testing/pdb/image.hpp"

namespace symcached::testkit {

/// Module 0 has inlined calls, a discarded and a folded function, separated code, a thunk and a trampoline; module 1
/// was made with link-time code generation and names inlinees of module 2; module 3 is assembly with publics only.
inline PdbImage rich_pdb() {
  using pdb::InlineeLine;
  PdbImage image{.info_age = 2, .dbi_age = 3};
  image.names = {"a.cpp", "a.h", "b.cpp", "C:\\Obj\\LIB.obj", "memcpy.asm"};
  const auto name = [&](std::size_t index) { return name_offset(image, index); };
  image.types.structure("geometry::Shape<int>");
  const auto shape = image.types.pointer(image.types.modifier(0x1000), pdb::PointerMode::reference);
  const auto callback = image.types.pointer(image.types.procedure(0x30, image.types.list({0x74, shape})));
  const auto run = image.types.procedure(3, image.types.list({callback, image.types.array(0x70, 8)}));
  const auto nothing = image.types.list({});
  const auto object = image.types.pointer(0x1001);
  const auto method = image.types.method(3, 0x1000, object, nothing);
  image.items.string_id("outer").func_id(0x1000, "leaf", run).func_id(0, "middle").member_id(0x1000, "method", method);
  image.publics.global("?run@@YAXXZ", {1, 0}).global("_twin", {1, 0x40}).global("jumped_to", {1, 0x200});
  image.publics.global("memcpy", {1, 0x300}).global("memcpy_tail", {1, 0x310}, 0).global("data", {2, 0});
  image.sections = {{0x1000, 0x1000}, {0x3000, 0x100, 0xC0000040}};

  Symbols a;
  a.compiled_by(1).proc("run", {1, 0}, 0x40, pdb::SymKind::gproc32, run).block({1, 0}, 0x10);
  a.inline_site(0x1002, {3, 4, 6, 2, 4, 0x10, 0}).inline_site(0x1001, {0xB, 0x22, 3, 4, 0xC, 4, 2, 0, 0}).end_site();
  a.end_site().end().separated({1, 0x80}, 0x10, {1, 0}).end().end();
  a.proc("twin", {1, 0x40}, 0x10, pdb::SymKind::lproc32).end().proc("dropped", {0, 0}, 0x10).end();
  a.thunk("jump", {1, 0x200}, 6).end().trampoline({1, 0x210}, 5, {1, 0x200});
  Subsections a_lines;
  a_lines.lines({1, 0}, 0x40, {{0, {{0, 10}, {4, 11}}}, {8, {{0x20, 5}}}, {0, {{0x28, 12}, {0x30, 0xFEEFEE}}}});
  a_lines.lines({1, 0x40}, 0x10, {{0, {{0, 20, 3}, {8, 21, 7}}}}, true).checksums({name(0), name(1)});
  a_lines.inlinees({{u32le(0x1001), u32le(8), u32le(100)}, {u32le(0x1002), u32le(8), u32le(50)}});

  Symbols b;
  b.proc("caller", {1, 0x100}, 0x20).inline_site(0x80000000, {0xB, 0x04, 4, 8, 0, 0}).end_site().end();
  Subsections b_lines;
  b_lines.lines({1, 0x100}, 0x20, {{0, {{0, 1}}}}).checksums({name(2)});
  b_lines.inlinees({{u32le(0x80000000), u32le(0), u32le(7)}}).imports(name(3), {0x1003});
  Subsections exports;
  exports.exports({{u32le(0x1003), u32le(0x1003)}});
  Subsections assembly;
  assembly.lines({1, 0x300}, 0x40, {{0, {{0, 30}, {0x10, 31}}}}).checksums({name(4)});

  image.modules = {{"a.obj", a.finish(), a_lines.finish()},
                   {"b.obj", b.finish(), b_lines.finish()},
                   {"c:\\obj\\lib.obj", {}, exports.finish()},
                   {"memcpy.obj", {}, assembly.finish()},
                   {"* Linker *", {}, {}, false}};
  image.contributions = {{{1, 0}, 0x90, 0}, {{1, 0x100}, 0x20, 1}, {{1, 0x200}, 0x20, 0}, {{1, 0x300}, 0x40, 3}};
  return image;
}

}  // namespace symcached::testkit
