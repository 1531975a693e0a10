#pragma once
/// The record by which a Go program finds its own tables: runtime.moduledata. Its fields move from release to release.
/// Spec: docs/formats/gopclntab.md, "Module data".
#include <cstdint>
#include <optional>
#include <vector>

#include "object/go/image.hpp"

namespace symcached::object {

/// Offsets of [offset, end) in the tables are those of `address` and on in memory.
struct GoTextSection {
  std::uint64_t offset = 0, end = 0, address = 0;
};

struct GoModuleData {
  std::uint64_t text = 0;                    ///< address of runtime.text
  std::optional<std::uint64_t> funcdata;     ///< address of go:func.*, where the record could be read so far
  std::vector<GoTextSection> text_sections;  ///< of a program that has several, by offset
};

/// Cost: one pass over what is writable; up to 1,024 places are looked at.
std::optional<GoModuleData> find_module_data(const GoImage& image, const go::Table& table, std::uint64_t table_address);

}  // namespace symcached::object
