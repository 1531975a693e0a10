#include "fetch/glimpse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "fetch/sniff.hpp"
#include "fetch/stated_ids.hpp"
#include "fetch/verify.hpp"
#include "formats/breakpad/reader.hpp"
#include "formats/elf/reader.hpp"
#include "formats/pe/reader.hpp"

namespace symcached::fetch {
namespace {

using sources::FileType;
using store::Quality;

/// A file of which some parts are known.
class PartlyKnown {
 public:
  PartlyKnown(Bytes file, std::span<const FilePart> known) : file_(file), known_(known) {}

  Bytes all() const { return file_; }
  Bytes start() const {
    return file_.first(known_.empty() ? 0 : static_cast<std::size_t>(std::min<std::uint64_t>(known_[0].size, size())));
  }
  std::uint64_t size() const { return file_.size(); }
  bool knows(std::uint64_t offset, std::uint64_t size) const {
    return std::ranges::any_of(known_, [&](const FilePart& p) {
      return offset >= p.offset && offset - p.offset <= p.size && size <= p.size - (offset - p.offset);
    });
  }
  bool knows(Bytes view) const { return knows(static_cast<std::uint64_t>(view.data() - file_.data()), view.size()); }
  bool holds(std::uint64_t offset, std::uint64_t size) const {
    return offset <= file_.size() && size <= file_.size() - offset;
  }
  /// kPart bytes with these in their middle; nothing if they are more, or not in the file.
  std::optional<FilePart> around(std::uint64_t offset, std::uint64_t size) const {
    if (size > kPart || !holds(offset, size)) return std::nullopt;
    const std::uint64_t before = std::min((kPart - size) / 2, offset);
    return FilePart{offset - before, std::min(kPart, file_.size() - (offset - before))};
  }

 private:
  const Bytes file_;
  const std::span<const FilePart> known_;
};

Quality offered_by(const elf::File& file) {
  const auto has = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(names, [&](std::string_view name) {
      const elf::Section* found = file.section(name);
      return found != nullptr && found->type != elf::SectionType::nobits;
    });
  };
  if (has({".debug_info", ".zdebug_info"})) return Quality::lines;
  if (has({".symtab", ".gnu_debugdata"})) return Quality::symbol_table;
  return has({".dynsym"}) ? Quality::public_symbols : Quality::none;
}

/// The id is that of the program's notes, near the start as a rule; what it offers is in the section headers.
Glimpse of_elf(const PartlyKnown& file) {
  Glimpse glimpse;
  const auto elf = elf::File::open(file.all());
  if (!elf) return glimpse;
  if (const Bytes id = elf->build_id(); !id.empty() && file.knows(id))
    glimpse.stated.push_back({FileType::elf_debug, {.code_id = elf->code_id(), .debug_id = elf->debug_id()}});
  const elf::Header& header = elf->header();
  const std::uint64_t table = std::uint64_t{header.section_count} * header.section_size;
  if (table == 0 || header.names_index >= elf->sections().size()) return glimpse;
  if (!file.knows(header.sections_offset, table)) {
    glimpse.more = file.around(header.sections_offset, table);
    return glimpse;
  }
  const elf::Section& names = elf->sections()[header.names_index];
  if (file.knows(names.offset, names.size)) glimpse.offers = offered_by(*elf);
  else glimpse.more = file.around(names.offset, names.size);
  return glimpse;
}

Glimpse of_image(const PartlyKnown& file) {
  constexpr std::uint64_t kHeaders = 4096;  ///< bytes, more than the headers in front of the sections take
  const auto headers = read_at<u32le>(file.start(), 0x3C, "pe.e_lfanew");
  if (!headers || !file.knows(*headers, kHeaders)) return {};
  const auto image = pe::Image::open(file.all());
  if (!image) return {};
  const sources::ImageId id{image->coff().timestamp, image->header().image_size};
  return {.stated = {{FileType::pe, {.code_id = id.code_id()}}}};
}

Glimpse of_breakpad(const PartlyKnown& file) {
  const Bytes start = file.start();
  if (as_text(start).find('\n') == std::string_view::npos) return {};
  const auto record = breakpad::read_module(start);
  const auto id = record ? DebugId::parse(record->id) : std::nullopt;
  return id ? Glimpse{.stated = {{FileType::breakpad, {.debug_id = id}}}} : Glimpse();
}

/// The way to the info stream of a PDB: superblock, map of the directory, directory, first block of stream 1.
/// Spec: docs/formats/pdb.md, section 1.
class InfoSeeker {
 public:
  explicit InfoSeeker(const PartlyKnown& file) : file_(file) {}

  Glimpse seek() {
    Glimpse glimpse;
    glimpse.stated = find();
    if (glimpse.stated.empty()) glimpse.more = more_;
    return glimpse;
  }

 private:
  static constexpr std::uint64_t kNilStream = 0xFFFFFFFF;
  static constexpr std::uint64_t kInfo = 28;  ///< bytes: version, signature, age, GUID

  std::vector<sources::FileRequest> find() {
    if (!read_superblock()) return {};
    const auto streams = number_in_directory(0), size0 = number_in_directory(4), size1 = number_in_directory(8);
    if (!streams || !size0 || !size1 || *streams < 2 || *size1 == kNilStream || *size1 < kInfo) return {};
    const std::uint64_t blocks0 = *size0 == kNilStream ? 0 : blocks_for(*size0);
    const auto block = number_in_directory(4 + 4 * *streams + 4 * blocks0);
    if (!block) return {};
    const std::uint64_t info = *block * block_size_;
    const auto age = number_at(info + 8, kInfo - 8);
    if (!age) return {};
    std::array<std::uint8_t, 16> guid;
    std::ranges::transform(file_.all().subspan(static_cast<std::size_t>(info) + 12, guid.size()), guid.begin(),
                           [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
    return {{FileType::pdb, {.debug_id = DebugId{Guid::from_windows(guid), static_cast<std::uint32_t>(*age)}}}};
  }

  bool read_superblock() {
    const auto block_size = number_at(32, 4), size = number_at(44, 4), map = number_at(52, 4);
    if (!block_size || !size || !map) return false;
    block_size_ = *block_size;
    directory_size_ = *size;
    map_ = *map * block_size_;
    return block_size_ >= 512 && block_size_ <= 65536 && (block_size_ & (block_size_ - 1)) == 0;
  }

  std::uint64_t blocks_for(std::uint64_t size) const { return (size + block_size_ - 1) / block_size_; }

  std::optional<std::uint64_t> number_in_directory(std::uint64_t at) {
    if (at > directory_size_ || directory_size_ - at < 4) return std::nullopt;
    const std::uint64_t index = at / block_size_;
    const auto block = number_at(map_ + 4 * index, 4);
    return block ? number_at(*block * block_size_ + at % block_size_, 4) : std::nullopt;
  }

  /// @param size  bytes from `offset` on that must be known for it
  std::optional<std::uint64_t> number_at(std::uint64_t offset, std::uint64_t size) {
    if (!file_.knows(offset, size)) {
      if (!more_) more_ = file_.around(offset, size);
      return std::nullopt;
    }
    const auto number = read_at<u32le>(file_.all(), offset, "pdb");
    return number ? std::optional<std::uint64_t>(*number) : std::nullopt;
  }

  const PartlyKnown& file_;
  std::uint64_t block_size_ = 0, directory_size_ = 0, map_ = 0;
  std::optional<FilePart> more_;  ///< the first thing that was missing
};

Glimpse of_pdb(const PartlyKnown& file) { return InfoSeeker(file).seek(); }

template <class Number>
std::optional<Number> take_number(std::string_view& line) {
  Number number{};
  const auto parsed = std::from_chars(line.data(), line.data() + line.size(), number);
  if (parsed.ec != std::errc()) return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(parsed.ptr - line.data()));
  if (line.starts_with(' ')) line.remove_prefix(1);
  return number;
}

}  // namespace

Glimpse glimpse_of(Bytes file, std::span<const FilePart> known) {
  const PartlyKnown parts(file, known);
  if (known.empty() || known.front().offset != 0) return {};
  const Bytes start = parts.start();
  switch (sniff(start.first(std::min(start.size(), kSniffSize)))) {
    case Content::elf: return of_elf(parts);
    case Content::image: return of_image(parts);
    case Content::breakpad: return of_breakpad(parts);
    case Content::pdb: return of_pdb(parts);
    default: return {};
  }
}

std::string objection(const Glimpse& glimpse, const sources::FileRequest& wanted) {
  if (glimpse.stated.empty()) return {};
  auto stated = glimpse.stated;
  if (wanted.type == FileType::pdb && wanted.module.debug_id)
    for (sources::FileRequest& one : stated)
      if (one.module.debug_id) one.module.debug_id->age = wanted.module.debug_id->age;
  const auto same = verify_stated(wanted, stated);
  return same ? std::string() : same.error();
}

/// "more 0 65536\n", "offers 4\n", then as to_text().
std::string Glimpse::text() const {
  std::string text;
  if (more) text += fmt::format("more {} {}\n", more->offset, more->size);
  if (offers) text += fmt::format("offers {}\n", static_cast<unsigned>(*offers));
  return text + to_text(stated);
}

std::optional<Glimpse> Glimpse::parse(std::string_view text) {
  Glimpse glimpse;
  const auto take_line = [&](std::string_view word) -> std::optional<std::string_view> {
    const std::size_t end = text.find('\n');
    if (!text.starts_with(word) || end == std::string_view::npos) return std::nullopt;
    const std::string_view line = text.substr(word.size(), end - word.size());
    text.remove_prefix(end + 1);
    return line;
  };
  if (auto line = take_line("more ")) {
    const auto offset = take_number<std::uint64_t>(*line), size = take_number<std::uint64_t>(*line);
    if (!offset || !size || !line->empty() || *size == 0 || *size > kPart) return std::nullopt;
    glimpse.more = FilePart{*offset, *size};
  }
  if (auto line = take_line("offers ")) {
    const auto offers = take_number<unsigned>(*line);
    if (!offers || !line->empty() || *offers > static_cast<unsigned>(Quality::lines)) return std::nullopt;
    glimpse.offers = static_cast<Quality>(*offers);
  }
  auto stated = parse_stated(text);
  if (!stated) return std::nullopt;
  glimpse.stated = std::move(*stated);
  return glimpse;
}

}  // namespace symcached::fetch
