#pragma once
/// A Go program's table of functions, and what it takes to read it: where code and inline trees are in memory.
#include <cstdint>
#include <optional>
#include <vector>

#include "formats/go/inline_tree.hpp"
#include "formats/go/table.hpp"
#include "object/go/image.hpp"
#include "object/go/module_data.hpp"

namespace symcached::object {

/// A table, and where it is.
struct GoTable {
  go::Table table;
  std::uint64_t address = 0;
};

/// The first table in the region, in which no section says where it is.
/// @param any_magic  what looks like a table but for its magic number is one
/// Cost: one pass over the region.
std::optional<GoTable> find_go_table(const GoRegion& region, go::Container container, bool any_magic);

class GoProgram {
 public:
  /// Nothing where it cannot be told which code the table is of.
  /// Cost: one pass over the list of functions and what is writable.
  static std::optional<GoProgram> open(GoImage image, const GoTable& table);

  const GoImage& image() const { return image_; }
  const go::Table& table() const { return table_; }
  /// Of what the table's list of functions has as `pc`.
  std::uint64_t address_of(std::uint64_t pc) const;

  /// Where the function's inlined calls are; nothing if none is inlined into it.
  struct Inlined {
    std::uint32_t values = 0;  ///< for Table::values: which record holds for an address
    go::InlineTree tree;
    go::InlineForm form{};
  };
  std::optional<Inlined> inlined(const go::Function& function) const;

 private:
  explicit GoProgram(GoImage image, const GoTable& table)
      : image_(std::move(image)), table_(table.table), table_address_(table.address) {}
  bool find_text(const std::optional<GoModuleData>& data);
  bool is_text(std::uint64_t address) const;
  std::optional<std::uint64_t> pc_of_start() const;
  std::optional<std::uint64_t> marked_text() const;
  void choose_inline_spec();
  unsigned plausible_trees(const go::InlineSpec& spec) const;
  std::optional<Inlined> inlined(const go::Function& function, const go::InlineSpec& spec) const;

  GoImage image_;
  go::Table table_;
  std::uint64_t table_address_ = 0;
  std::uint64_t text_ = 0;  ///< added to what the table has as a pc
  std::vector<GoTextSection> text_sections_;
  std::optional<std::uint64_t> funcdata_;  ///< address of go:func.*
  std::optional<go::InlineSpec> spec_;
};

}  // namespace symcached::object
