#pragma once
/// A Go program's parts in memory: code, table, inline trees, module data.
#include <cstdint>
#include <string_view>
#include <vector>

#include "testing/go/image.hpp"

namespace symcached::testkit {

inline constexpr std::uint64_t kGoBase = 0x400000, kGoText = 0x401000, kGoTable = 0x480000, kGoData = 0x600000;

/// Where fields of runtime.moduledata are, in words.
struct GoColumns {
  std::string_view name;
  unsigned functions, first_pc, text, funcdata, text_sections;  ///< funcdata 0 = none
};
inline constexpr GoColumns kGoColumns15{"1.15", 3, 10, 12, 0, 27}, kGoColumns17{"1.17", 16, 20, 22, 0, 37},
    kGoColumns19{"1.19", 16, 20, 22, 38, 39}, kGoColumns25{"1.25", 16, 20, 22, 40, 41},
    kGoColumns26{"1.26", 16, 20, 22, 40, 42}, kGoColumns27{"1.27", 16, 20, 22, 43, 45};

inline const GoColumns& columns_of(go::Form form) {
  switch (form) {
    case go::Form::go1_2: return kGoColumns15;
    case go::Form::go1_16: return kGoColumns17;
    case go::Form::go1_18: return kGoColumns19;
    case go::Form::go1_20: break;
  }
  return kGoColumns25;
}

struct GoTextMap {
  std::uint64_t offset, end, address;
};

struct GoModuleSpec {
  GoColumns columns = kGoColumns25;
  std::uint64_t functions_at = 0;  ///< of the list, from the table's start
  std::uint64_t count = 3;         ///< functions
  std::uint64_t text = kGoText, text_end = kGoText + 0x100;
  std::uint64_t funcdata = kGoTrees;
  std::uint64_t pointer_bias = 0;  ///< added to every pointer: links of Apple's loader
  std::vector<GoTextMap> text_map = {{0, 0x100, kGoText}};
};

/// For kGoData: 64 words, then the list of text sections.
inline std::vector<std::byte> module_data(const GoModuleSpec& spec, go::Container container) {
  const std::uint64_t size = container.pointer_size;
  std::vector<std::uint64_t> words(64);
  const auto pointer = [&](unsigned index, std::uint64_t value) { words[index] = value + spec.pointer_bias; };
  pointer(0, kGoTable);
  pointer(spec.columns.functions, kGoTable + spec.functions_at);
  words[spec.columns.functions + 1] = words[spec.columns.functions + 2] = spec.count + 1;
  pointer(spec.columns.first_pc, spec.text), pointer(spec.columns.first_pc + 1, spec.text_end);
  pointer(spec.columns.text, spec.text), pointer(spec.columns.text + 1, spec.text_end);
  if (spec.columns.funcdata != 0) pointer(spec.columns.funcdata, spec.funcdata);
  pointer(spec.columns.text_sections, kGoData + words.size() * size);
  words[spec.columns.text_sections + 1] = words[spec.columns.text_sections + 2] = spec.text_map.size();
  for (const GoTextMap& map : spec.text_map)
    words.insert(words.end(), {map.offset, map.end, map.address + spec.pointer_bias});
  ElfBytes out(layout_of(container));
  for (const std::uint64_t word : words) out.word(word);
  return out.finish();
}

}  // namespace symcached::testkit
