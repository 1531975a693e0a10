#pragma once
/// The records inside a module's stream of a PDB, assembled by name: symbols and C13 subsections.
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/pdb/codeview.hpp"
#include "testing/assembler.hpp"

namespace symcached::testkit {

/// A place in code: section (1-based) and offset.
struct Place {
  std::uint16_t segment = 1;
  std::uint32_t offset = 0;
};

using Annotations = std::initializer_list<std::uint8_t>;

/// Symbol records in order; scopes are closed by the caller.
class Symbols {
 public:
  /// @param type  as in ProcSym; 0 = none
  Symbols& proc(std::string_view name, Place at, std::uint32_t size, pdb::SymKind kind = pdb::SymKind::gproc32,
                pdb::TypeIndex type = 0) {
    Section body;
    body.u32(0).u32(0).u32(0).u32(size).u32(0).u32(0).u32(type).u32(at.offset).u16(at.segment).u8(0).c_string(name);
    return record(kind, body);
  }
  Symbols& inline_site(std::uint32_t inlinee, Annotations annotations) {
    Section body;
    body.u32(0).u32(0).u32(inlinee);
    for (const std::uint8_t byte : annotations) body.u8(byte);
    return record(pdb::SymKind::inline_site, body);
  }
  Symbols& thunk(std::string_view name, Place at, std::uint16_t size) {
    Section body;
    body.u32(0).u32(0).u32(0).u32(at.offset).u16(at.segment).u16(size).u8(0).c_string(name);
    return record(pdb::SymKind::thunk32, body);
  }
  Symbols& trampoline(Place at, std::uint16_t size, Place target) {
    Section body;
    body.u16(0).u16(size).u32(at.offset).u32(target.offset).u16(at.segment).u16(target.segment);
    return record(pdb::SymKind::trampoline, body);
  }
  Symbols& separated(Place at, std::uint32_t size, Place parent) {
    Section body;
    body.u32(0).u32(0).u32(size).u32(0).u32(at.offset).u32(parent.offset).u16(at.segment).u16(parent.segment);
    return record(pdb::SymKind::sep_code, body);
  }
  Symbols& block(Place at, std::uint32_t size) {
    Section body;
    body.u32(0).u32(0).u32(size).u32(at.offset).u16(at.segment).c_string("");
    return record(pdb::SymKind::block32, body);
  }
  Symbols& compiled_by(std::uint8_t language) {
    Section body;
    body.u32(language).u16(0xD0).zeros(16).c_string("a compiler");
    return record(pdb::SymKind::compile3, body);
  }
  Symbols& global(std::string_view name, Place at, std::uint32_t flags = 2) {
    Section body;
    body.u32(flags).u32(at.offset).u16(at.segment).c_string(name);
    return record(pdb::SymKind::pub32, body);
  }
  Symbols& end() { return record(pdb::SymKind::end, {}); }
  Symbols& end_site() { return record(pdb::SymKind::inline_site_end, {}); }
  Symbols& record(pdb::SymKind kind, Section body) {
    body.align(4);
    out_.u16(static_cast<std::uint16_t>(body.size() + 2)).u16(static_cast<std::uint16_t>(kind)).bytes(body.finish());
    return *this;
  }
  std::vector<std::byte> finish() const { return out_.finish(); }

 private:
  Section out_;
};

struct LineSpec {
  std::uint32_t offset, line;
  std::uint16_t column = 0;
};

/// Rows of one file inside a line table. `file` is an offset in the module's checksums: 0, 8, 16, …
struct LinesOfFile {
  std::uint32_t file;
  std::vector<LineSpec> rows;
};

class Subsections {
 public:
  Subsections& lines(Place at, std::uint32_t size, const std::vector<LinesOfFile>& blocks, bool columns = false) {
    Section body;
    body.u32(at.offset).u16(at.segment).u16(columns ? 1 : 0).u32(size);
    for (const LinesOfFile& block : blocks) {
      const auto count = static_cast<std::uint32_t>(block.rows.size());
      body.u32(block.file).u32(count).u32(12 + count * (columns ? 12 : 8));
      for (const LineSpec& row : block.rows) body.u32(row.offset).u32(row.line | 0x80000000);
      for (std::size_t i = 0; columns && i < count; ++i) body.u16(block.rows[i].column).u16(0);
    }
    return subsection(pdb::SubsectionKind::lines, body);
  }
  /// @param names  offsets in /names; the n-th is file 8 * n
  Subsections& checksums(std::initializer_list<std::uint32_t> names) {
    Section body;
    for (const std::uint32_t name : names) body.u32(name).u8(0).u8(0).align(4);
    return subsection(pdb::SubsectionKind::file_checksums, body);
  }
  Subsections& inlinees(std::initializer_list<pdb::InlineeLine> entries) {
    Section body;
    body.u32(0);
    for (const pdb::InlineeLine& e : entries) body.put(e);
    return subsection(pdb::SubsectionKind::inlinee_lines, body);
  }
  Subsections& imports(std::uint32_t module_name, std::initializer_list<std::uint32_t> ids) {
    Section body;
    body.u32(module_name).u32(static_cast<std::uint32_t>(ids.size()));
    for (const std::uint32_t id : ids) body.u32(id);
    return subsection(pdb::SubsectionKind::cross_scope_imports, body);
  }
  Subsections& exports(std::initializer_list<pdb::CrossScopeExport> entries) {
    Section body;
    for (const pdb::CrossScopeExport& e : entries) body.put(e);
    return subsection(pdb::SubsectionKind::cross_scope_exports, body);
  }
  Subsections& subsection(pdb::SubsectionKind kind, const Section& body) {
    out_.u32(static_cast<std::uint32_t>(kind)).u32(static_cast<std::uint32_t>(body.size())).bytes(body.finish());
    out_.align(4);
    return *this;
  }
  std::vector<std::byte> finish() const { return out_.finish(); }

 private:
  Section out_;
};

/// Records of the TPI or IPI stream, numbered from 0x1000.
class TypeRecords {
 public:
  TypeRecords& func_id(std::uint32_t scope, std::string_view name, pdb::TypeIndex type = 0) {
    return record(pdb::Leaf::func_id, Section().u32(scope).u32(type).c_string(name));
  }
  TypeRecords& member_id(std::uint32_t scope, std::string_view name, pdb::TypeIndex type = 0) {
    return record(pdb::Leaf::mfunc_id, Section().u32(scope).u32(type).c_string(name));
  }
  TypeRecords& string_id(std::string_view text) {
    return record(pdb::Leaf::string_id, Section().u32(0).c_string(text));
  }
  /// A class, structure or interface whose size is the number given as its leaf bytes.
  TypeRecords& structure(std::string_view name, const Section& size = Section().u16(8),
                         pdb::Leaf leaf = pdb::Leaf::structure) {
    return record(leaf, Section().zeros(16).bytes(size.finish()).c_string(name));
  }
  // These give the index of the record that they add.
  pdb::TypeIndex list(std::initializer_list<pdb::TypeIndex> arguments) {
    Section body;
    body.u32(static_cast<std::uint32_t>(arguments.size()));
    for (const pdb::TypeIndex argument : arguments) body.u32(argument);
    return add(pdb::Leaf::arglist, body);
  }
  pdb::TypeIndex procedure(pdb::TypeIndex result, pdb::TypeIndex arguments) {
    return add(pdb::Leaf::procedure, Section().u32(result).u32(0).u32(arguments));
  }
  pdb::TypeIndex method(pdb::TypeIndex result, pdb::TypeIndex scope, pdb::TypeIndex object, pdb::TypeIndex arguments) {
    return add(pdb::Leaf::mfunction, Section().u32(result).u32(scope).u32(object).u32(0).u32(arguments).u32(0));
  }
  /// @param flags  of PointerLeaf::attributes, besides mode and size
  pdb::TypeIndex pointer(pdb::TypeIndex to, pdb::PointerMode mode = pdb::PointerMode::pointer,
                         std::uint32_t flags = 0) {
    return add(pdb::Leaf::pointer,
               Section().u32(to).u32(0xCu | static_cast<std::uint32_t>(mode) << 5 | flags | 8u << 13));
  }
  pdb::TypeIndex modifier(pdb::TypeIndex type, std::uint16_t flags = 1) {
    return add(pdb::Leaf::modifier, Section().u32(type).u16(flags));
  }
  pdb::TypeIndex array(pdb::TypeIndex element, std::uint16_t bytes) {
    return add(pdb::Leaf::array, Section().u32(element).u32(0x23).u16(bytes).c_string(""));
  }
  pdb::TypeIndex add(pdb::Leaf leaf, const Section& body) {
    record(leaf, body);
    return 0x1000 + count() - 1;
  }
  TypeRecords& record(pdb::Leaf leaf, Section body) {
    body.align(4);
    starts_.push_back(static_cast<std::uint32_t>(out_.size()));
    out_.u16(static_cast<std::uint16_t>(body.size() + 2)).u16(static_cast<std::uint16_t>(leaf)).bytes(body.finish());
    return *this;
  }
  std::uint32_t count() const { return static_cast<std::uint32_t>(starts_.size()); }
  std::uint32_t start_of(std::uint32_t index) const { return starts_.at(index - 0x1000); }

  /// The whole stream. @param hash_stream  holds `samples_bytes` of pairs (index, offset), then `hashes_bytes` of a
  ///                                       hash for each record; 0xFFFF: none
  std::vector<std::byte> finish(std::uint16_t hash_stream = 0xFFFF, std::uint32_t samples_bytes = 0,
                                std::uint32_t hashes_bytes = 0) const {
    Section head;
    head.u32(20040203).u32(56).u32(0x1000).u32(0x1000 + count()).u32(static_cast<std::uint32_t>(out_.size()));
    head.u16(hash_stream)
        .u16(0xFFFF)
        .u32(4)
        .u32(0x3FFFF)
        .u32(samples_bytes)
        .u32(hashes_bytes)
        .u32(0)
        .u32(samples_bytes)
        .u32(0)
        .u32(0);
    return head.bytes(out_.finish()).finish();
  }

 private:
  Section out_;
  std::vector<std::uint32_t> starts_;
};

}  // namespace symcached::testkit
