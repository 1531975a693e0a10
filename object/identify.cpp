#include "object/identify.hpp"

#include <algorithm>

#include "object/kinds.hpp"
#include "object/unwrap.hpp"

namespace symcached::object {
namespace {

constexpr std::size_t kLongestMagic = 64;

bool has_magic(const KindRow& row, std::string_view start) {
  return std::ranges::any_of(row.magics, [&](std::string_view m) { return !m.empty() && start.starts_with(m); });
}

}  // namespace

std::string_view name_of(FileKind kind) { return row_of(kind).name; }

FileKind identify(Bytes file) {
  const std::string_view start = as_text(file.first(std::min(file.size(), kLongestMagic)));
  for (const KindRow& row : kind_rows())
    if (has_magic(row, start)) return row.kind;
  for (const KindRow& row : kind_rows())
    if (row.looks_like != nullptr && row.looks_like(file)) return row.kind;
  return FileKind::unknown;
}

FileInfo describe_unpacked(Bytes file) {
  FileInfo info;
  info.kind = identify(file);
  if (const auto describe = row_of(info.kind).describe) describe(info, file);
  return info;
}

FileInfo describe(Bytes file) {
  auto unwrapped = unwrap(file);
  FileInfo info;
  if (!unwrapped) {
    info.kind = identify(file);
    info.trouble = std::move(unwrapped.error());
  } else if (!*unwrapped) {
    info = describe_unpacked(file);
  } else {
    info = describe_unpacked((*unwrapped)->file.bytes());
    info.wrappers = std::move((*unwrapped)->wrappers);
    info.member = std::move((*unwrapped)->member);
  }
  return info;
}

}  // namespace symcached::object
