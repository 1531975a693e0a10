#pragma once
/// Go's tables of functions, of every form, byte order and pointer size, assembled from a description.
#include <cstdint>
#include <string>
#include <vector>

#include "formats/go/inline_tree.hpp"
#include "formats/go/table.hpp"
#include "testing/elf/image.hpp"

namespace symcached::testkit {

/// A value that holds up to `end`, in bytes from the function's entry.
struct GoValue {
  std::uint64_t end = 0;
  std::int32_t value = 0;
};

/// A record of an inline tree; files by their number in GoTableSpec::files.
struct GoCall {
  std::string name;
  std::int32_t parent = -1;
  std::int32_t parent_pc = 0;
  std::int32_t file = 0, line = 0;
};

struct GoFunctionSpec {
  std::uint64_t pc = 0;  ///< as the form has it
  std::string name;
  std::vector<GoValue> lines, files, tree;  ///< empty: the function has no such table
  std::vector<GoCall> calls = {};
};

struct GoTableSpec {
  go::Form form = go::Form::go1_20;
  go::Container container = {};
  std::uint8_t quantum = 1;
  std::uint32_t magic = 0;           ///< 0 = the form's own
  std::uint32_t hidden_entries = 0;  ///< garble: the key that records' entries are hidden by
  bool old_counts = false;           ///< go1_2: the number of funcdata takes its whole word
  go::InlineSpec inlines = {};
  bool trees_inside = false;        ///< behind the records, as since Go 1.26
  std::uint64_t trees_address = 0;  ///< before go1_18: where GoTableBytes::trees will be
  std::uint64_t text_start = 0;
  std::vector<GoFunctionSpec> functions = {};
  std::uint64_t end_pc = 0;
  std::vector<std::string> files = {};
};

struct GoTableBytes {
  std::vector<std::byte> table, trees;
};

inline elf::Layout layout_of(go::Container container) { return {container.pointer_size == 8, container.big_endian}; }

namespace detail {

inline void put_varint(ElfBytes& out, std::uint32_t value) {
  for (; value >= 0x80; value >>= 7) out.u8(static_cast<std::uint8_t>(value | 0x80));
  out.u8(static_cast<std::uint8_t>(value));
}

class GoAssembler {
 public:
  explicit GoAssembler(const GoTableSpec& spec)
      : spec_(spec),
        layout_(layout_of(spec.container)),
        names_(layout_),
        paths_(layout_),
        values_(layout_),
        records_(layout_),
        list_(layout_),
        trees_(layout_) {}

  GoTableBytes assemble() { return spec_.form == go::Form::go1_2 ? old_table() : table(); }

 private:
  bool has_offsets() const { return spec_.form >= go::Form::go1_18; }
  std::size_t word() const { return layout_.word_size(); }
  void put_field(ElfBytes& out, std::uint64_t value) const { has_offsets() ? out.u32(value) : out.word(value); }
  void header(ElfBytes& out) const {
    out.u32(spec_.magic != 0 ? spec_.magic : go::kMagics[static_cast<std::size_t>(spec_.form)]);
    out.u16(0).u8(spec_.quantum).u8(spec_.container.pointer_size);
  }

  std::uint32_t put_name(const std::string& name) {
    const auto at = static_cast<std::uint32_t>(names_base_ + names_.size());
    names_.c_string(name);
    return at;
  }
  std::uint32_t put_values(const std::vector<GoValue>& values, std::int32_t bias = 0) {
    if (values.empty()) return 0;
    const auto at = static_cast<std::uint32_t>(values_base_ + values_.size());
    std::int32_t before = -1;
    std::uint64_t end = 0;
    for (const GoValue& one : values) {
      const std::int32_t value = one.value < 0 ? one.value : one.value + bias;
      const auto change = static_cast<std::uint32_t>(value) - static_cast<std::uint32_t>(before);
      put_varint(values_, change << 1 ^ (static_cast<std::int32_t>(change) < 0 ? 0xFFFFFFFF : 0));
      put_varint(values_, static_cast<std::uint32_t>((one.end - end) / spec_.quantum));
      before = value;
      end = one.end;
    }
    values_.u8(0);
    return at;
  }
  std::int32_t file_number(std::int32_t file) const { return file + (spec_.form == go::Form::go1_2 ? 1 : 0); }

  /// Where the function's tree is among trees_.
  std::uint64_t put_tree(const GoFunctionSpec& function) {
    const std::uint64_t at = trees_.size();
    for (const GoCall& call : function.calls) {
      const std::uint32_t name = put_name(call.name);
      const auto number = [&](std::int32_t value) { trees_.u32(static_cast<std::uint32_t>(value)); };
      switch (spec_.inlines.form) {
        case go::InlineForm::places:
          number(call.parent), number(file_number(call.file)), number(call.line), trees_.u32(name);
          break;
        case go::InlineForm::parents:
          trees_.u16(static_cast<std::uint16_t>(call.parent)).u8(0).u8(0);
          number(file_number(call.file)), number(call.line), trees_.u32(name), number(call.parent_pc);
          break;
        case go::InlineForm::starts: trees_.u8(0).u8(0).u16(0).u32(name), number(call.parent_pc), number(1); break;
      }
    }
    return at;
  }

  void put_record(const GoFunctionSpec& function) {
    const std::uint64_t tree = put_tree(function);
    const bool has_tree = !function.calls.empty();
    const std::uint32_t pcdata = has_tree ? spec_.inlines.pcdata + 1u : 0,
                        funcdata = has_tree ? spec_.inlines.funcdata + 1u : 0;
    put_field(list_, function.pc), put_field(list_, records_base_ + records_.size());
    const std::uint64_t entry = function.pc;
    const std::uint32_t name = put_name(function.name);
    if (has_offsets()) records_.u32(static_cast<std::uint32_t>(entry) ^ (name * spec_.hidden_entries));
    else records_.word(entry);
    records_.u32(name).u32(0).u32(0).u32(0);
    const bool old = spec_.form == go::Form::go1_2;
    records_.u32(put_values(function.files, old ? 1 : 0)).u32(put_values(function.lines)).u32(pcdata);
    if (!old) records_.u32(kUnit);
    if (spec_.form == go::Form::go1_20) records_.u32(1);
    if (old && spec_.old_counts) records_.u32(funcdata);
    else records_.u8(0).u8(0).u8(0).u8(static_cast<std::uint8_t>(funcdata));
    const std::uint32_t values = put_values(function.tree);
    for (std::uint32_t i = 0; i < pcdata; ++i) records_.u32(i + 1 == pcdata ? values : 0);
    if (!has_offsets()) records_.align(word());
    for (std::uint32_t i = 0; i < funcdata; ++i) {
      const bool here = i + 1 == funcdata;
      if (has_offsets()) records_.u32(here ? tree : 0xFFFFFFFF);
      else records_.word(here ? spec_.trees_address + tree : 0);
    }
    records_.align(word());
  }

  /// Twice: the second time it is known where things are.
  GoTableBytes table() {
    const std::size_t words = has_offsets() ? 8 : 7, header_size = 8 + words * word();
    values_.u8(0);  // no table begins at 0
    records_base_ = (2 * spec_.functions.size() + 1) * (has_offsets() ? 4 : word());
    records_base_ = (records_base_ + word() - 1) / word() * word();
    for (const GoFunctionSpec& function : spec_.functions) put_record(function);
    put_field(list_, spec_.end_pc);
    list_.align(word());
    ElfBytes units(layout_);
    units.u32(0xFFFFFFFF);  // of a unit before
    for (const std::string& file : spec_.files) units.u32(paths_.size()), paths_.c_string(file);
    names_.align(word()), paths_.align(word()), values_.align(word()), units.align(word());
    ElfBytes out(layout_);
    header(out);
    out.word(spec_.functions.size()).word(spec_.files.size());
    if (has_offsets()) out.word(spec_.text_start);
    std::uint64_t at = header_size;
    for (const std::uint64_t size : {names_.size(), units.size(), paths_.size(), values_.size(), std::size_t{0}})
      out.word(at), at += size;
    for (const auto& part : {names_, units, paths_, values_, list_, records_}) out.bytes(part.finish());
    if (spec_.trees_inside) out.align(8).bytes(trees_.finish());
    return {out.finish(), trees_.finish()};
  }

  GoTableBytes old_table() {
    const std::size_t files_word = 8 + word() + (2 * spec_.functions.size() + 1) * word();
    GoTableBytes done;
    for (int pass = 0; pass < 2; ++pass) {
      const std::size_t names_size = names_.size(), values_size = values_.size();
      names_ = values_ = records_ = list_ = trees_ = ElfBytes(layout_);
      records_base_ = (files_word + 4 + 7) / 8 * 8;
      names_base_ = records_base_ + records_size_;
      values_base_ = names_base_ + names_size;
      const std::size_t files_at = values_base_ + values_size;
      for (const GoFunctionSpec& function : spec_.functions) put_record(function);
      records_size_ = records_.size();
      put_field(list_, spec_.end_pc);
      ElfBytes out(layout_);
      header(out);
      out.word(spec_.functions.size()).bytes(list_.finish()).u32(files_at).align(8);
      for (const auto& part : {records_, names_, values_}) out.bytes(part.finish());
      out.u32(spec_.files.size() + 1);
      std::uint64_t at = files_at + 4 * (spec_.files.size() + 1);
      for (const std::string& file : spec_.files) out.u32(at), at += file.size() + 1;
      for (const std::string& file : spec_.files) out.c_string(file);
      done = {out.finish(), trees_.finish()};
    }
    return done;
  }

  static constexpr std::uint32_t kUnit = 1;  ///< its files are behind those of another unit
  const GoTableSpec& spec_;
  elf::Layout layout_;
  ElfBytes names_, paths_, values_, records_, list_, trees_;
  std::uint64_t names_base_ = 0, values_base_ = 0, records_base_ = 0, records_size_ = 0;
};

}  // namespace detail

inline GoTableBytes assemble(const GoTableSpec& spec) { return detail::GoAssembler(spec).assemble(); }

/// How releases of Go write their tables.
struct GoRelease {
  std::string_view name;
  go::Form form = go::Form::go1_20;
  bool has_inlines = true;
  go::InlineSpec inlines = {};
  bool old_counts = false;
  bool trees_inside = false;
};
inline constexpr GoRelease kGoReleases[] = {
    {"1.2", go::Form::go1_2, false, {}, true},
    {"1.9", go::Form::go1_2, true, {go::InlineForm::places, 1, 2}, true},
    {"1.12", go::Form::go1_2, true, {go::InlineForm::parents, 1, 2}},
    {"1.13", go::Form::go1_2, true, {go::InlineForm::parents, 2, 4}},
    {"1.16", go::Form::go1_16, true, {go::InlineForm::parents, 2, 3}},
    {"1.18", go::Form::go1_18, true, {go::InlineForm::parents, 2, 3}},
    {"1.20", go::Form::go1_20, true, {go::InlineForm::starts, 2, 3}},
    {"1.26", go::Form::go1_20, true, {go::InlineForm::starts, 2, 3}, false, true},
};
inline constexpr std::uint64_t kGoTrees = 0x500000;  ///< address of inline trees
inline constexpr go::Container kGoContainers[] = {{8, false}, {8, true}, {4, false}, {4, true}};

/// `main.main`, with `main.outer` inlined and `main.inner` into that; `main.sum[go.shape.int]`; C code without lines.
/// @param text  address of the code, 0x100 bytes
inline GoTableSpec small_go_table(const GoRelease& release, go::Container container, std::uint64_t text) {
  GoTableSpec spec{.form = release.form,
                   .container = container,
                   .old_counts = release.old_counts,
                   .inlines = release.inlines,
                   .trees_inside = release.trees_inside,
                   .trees_address = kGoTrees};
  const std::uint64_t base = release.form >= go::Form::go1_18 ? 0 : text;
  spec.files = {"a/main.go", "a/other.go"};
  GoFunctionSpec main{.pc = base,
                      .name = "main.main",
                      .lines = {{0x10, 5}, {0x20, 31}, {0x28, 42}, {0x30, 6}},
                      .files = {{0x18, 0}, {0x28, 1}, {0x30, 0}},
                      .tree = {{0x10, -1}, {0x18, 0}, {0x28, 1}, {0x30, -1}},
                      .calls = {{"main.outer", -1, 0x08, 0, 5}, {"main.inner", 0, 0x14, 0, 31}}};
  if (!release.has_inlines) main.calls.clear(), main.tree.clear();
  spec.functions.push_back(main);
  spec.functions.push_back(
      {.pc = base + 0x40, .name = "main.sum[go.shape.int]", .lines = {{0x20, 50}}, .files = {{0x20, 1}}, .tree = {}});
  spec.functions.push_back({.pc = base + 0x80, .name = "c_code", .lines = {}, .files = {}, .tree = {}});
  spec.end_pc = base + 0x100;
  return spec;
}

}  // namespace symcached::testkit
