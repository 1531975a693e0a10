#pragma once
/// Reads WebAssembly modules in place: sections, functions and what they are called.
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace symcached::wasm {

inline constexpr std::string_view kMagic{"\0asm", 4};
inline constexpr std::uint32_t kVersion = 1;  ///< components, which are no modules, have others
/// More than any module has; one for each of its functions is what compilers that split debug data come to.
inline constexpr std::uint32_t kMaxSections = 1u << 16;

enum class SectionId : std::uint8_t {
  custom = 0,
  type = 1,
  import = 2,
  function = 3,
  table = 4,
  memory = 5,
  global = 6,
  exports = 7,
  start = 8,
  element = 9,
  code = 10,
  data = 11,
  data_count = 12,
  tag = 13,
};

struct Section {
  SectionId id{};
  std::string_view name;     ///< of a custom section; empty for others
  std::uint64_t offset = 0;  ///< where `data` starts in the file
  Bytes data;                ///< without id, size and, in custom sections, name
};

/// A function with code in this module.
struct Function {
  std::uint64_t offset = 0;  ///< in the file, of its first byte: the declarations of locals, behind the size
  std::uint32_t size = 0;    ///< bytes
};

struct FunctionName {
  std::uint32_t index = 0;  ///< in the index space of functions, in which the imported ones come first
  std::string_view name;
};

/// An opened module. Views into bytes it does not own: they live as long as the file's mapping.
/// Opening checks the list of sections; what is in them is checked when it is asked for.
class Module {
 public:
  /// Cost: one step a section.
  static Read<Module> open(Bytes file);

  const std::vector<Section>& sections() const { return sections_; }
  const Section* find(SectionId id) const;  ///< the first; nullptr = none
  const Section* find_custom(std::string_view name) const;
  /// File offset of the code section's data, from which addresses in DWARF count; 0 = there is no code section.
  std::uint64_t code_offset() const;

  /// How many functions are imported: the first function of functions() has this index.
  Read<std::uint32_t> imported_function_count() const;
  /// The functions of the code section, in order.
  Read<std::vector<Function>> functions() const;
  /// From the name section, in the order of the file; empty if there is none.
  Read<std::vector<FunctionName>> function_names() const;
  /// Exported functions and the names they are exported by.
  Read<std::vector<FunctionName>> exported_functions() const;
  /// From the name section; empty = none.
  Read<std::string_view> module_name() const;
  /// The bytes of the build_id section, with or without a length in front of them; empty = none.
  Bytes build_id() const;
  /// A custom section that holds one string with its length in front: "external_debug_info", "sourceMappingURL".
  /// Empty = no such section, or not of this form.
  std::string_view string_in(std::string_view section) const;
  bool is_memory64() const;  ///< addresses of data have 64 bits

 private:
  std::vector<Section> sections_;
};

}  // namespace symcached::wasm
