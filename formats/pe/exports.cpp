#include "formats/pe/exports.hpp"

#include <algorithm>

#include "formats/pe/rva_index.hpp"
#include "formats/pe/string_table.hpp"

namespace symcached::pe {
namespace {

struct ExportDirectory {
  u32le reserved;
  u32le timestamp;
  u16le major_version, minor_version;
  u32le name;  ///< RVA of the image's own name
  u32le ordinal_base;
  u32le address_count;
  u32le name_count;
  u32le addresses;  ///< RVA: an RVA for each ordinal; 0 = no such ordinal
  u32le names;      ///< RVA: the RVA of each name, sorted
  u32le ordinals;   ///< RVA: for each name its index in the addresses, 16 bits
};
static_assert(sizeof(ExportDirectory) == 40 && alignof(ExportDirectory) == 1);

template <WireRecord T>
Read<std::span<const T>> table(const RvaIndex& index, std::uint32_t rva, std::uint32_t count, std::string_view field) {
  if (count == 0) return std::span<const T>();
  SC_TRY(const Bytes bytes, index.at(rva, std::uint64_t{count} * sizeof(T), field));
  return ByteReader(bytes).array<T>(count, field);
}

Read<std::string_view> text_at(const RvaIndex& index, std::uint32_t rva) {
  const std::string_view rest = as_text(index.from(rva)).substr(0, kMaxSymbolName + 1);
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) return truncated("pe.export.name", rva, rest.size() + 1, rest.size());
  return rest.substr(0, end);
}

}  // namespace

Read<std::vector<Export>> read_exports(const Image& image) {
  std::vector<Export> found;
  const auto where = image.directory(Directory::exports);
  if (!where) return found;
  const RvaIndex index(image);
  if (index.from(where->rva).empty()) return found;  // in a file with debug sections alone
  SC_TRY(const auto directory, index.record_at<ExportDirectory>(where->rva, "pe.exports"));
  if (directory.address_count > kMaxExports)
    return too_large("pe.exports.address_count", where->rva, directory.address_count, kMaxExports);
  if (directory.name_count > kMaxExportNames)
    return too_large("pe.exports.name_count", where->rva, directory.name_count, kMaxExportNames);
  SC_TRY(const auto addresses,
         table<u32le>(index, directory.addresses, directory.address_count, "pe.exports.addresses"));
  SC_TRY(const auto names, table<u32le>(index, directory.names, directory.name_count, "pe.exports.names"));
  SC_TRY(const auto ordinals, table<u16le>(index, directory.ordinals, directory.name_count, "pe.exports.ordinals"));

  const auto is_own = [&](std::uint32_t rva) { return rva != 0 && rva - where->rva >= where->size; };
  std::vector<bool> named(addresses.size());
  std::uint64_t text_left = 8 * std::uint64_t{image.file().size()};  // honest names are in the file once
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::uint16_t slot = ordinals[i];
    if (slot >= addresses.size()) return bad_value("pe.export.ordinal", directory.ordinals, slot, addresses.size());
    named[slot] = true;
    if (!is_own(addresses[slot])) continue;
    SC_TRY(const auto name, text_at(index, names[i]));
    if (name.size() > text_left) return too_large("pe.export.names", names[i], name.size(), text_left);
    text_left -= name.size();
    found.push_back({name, directory.ordinal_base + slot, addresses[slot]});
  }
  for (std::uint32_t slot = 0; slot < addresses.size(); ++slot)
    if (!named[slot] && is_own(addresses[slot])) found.push_back({{}, directory.ordinal_base + slot, addresses[slot]});
  return found;
}

}  // namespace symcached::pe
