#include "sources/file_type.hpp"

#include <algorithm>

namespace symcached::sources {

std::string_view name_of(FileType type) { return std::ranges::find(kFileTypes, type, &FileTypeRow::type)->name; }

std::optional<FileType> parse_file_type(std::string_view name) {
  const auto row = std::ranges::find(kFileTypes, name, &FileTypeRow::name);
  return row == kFileTypes.end() ? std::nullopt : std::optional(row->type);
}

}  // namespace symcached::sources
