#include "formats/pdb/pdb.hpp"

#include <algorithm>
#include <bit>

namespace symcached::pdb {
namespace {

constexpr StreamIndex kInfoStream = 1;
constexpr StreamIndex kDbiStream = 3;
constexpr std::uint32_t kDbiV70 = 19990903;
constexpr std::uint32_t kContributionsV60 = 0xF12EBA2D;
constexpr std::uint32_t kContributionsV2 = 0xF13151E4;
constexpr std::uint32_t kNamesMagic = 0xEFFEEFFE;

struct InfoHeader {
  u32le version;
  u32le signature;
  u32le age;
  std::array<std::uint8_t, 16> guid;
};
static_assert(sizeof(InfoHeader) == 28);

struct DbiHeader {
  u32le signature;  ///< always -1
  u32le version;
  u32le age;
  u16le global_stream, build, public_stream, dll_version, symbol_records, dll_rebuild;
  u32le modules_bytes, contributions_bytes, section_map_bytes, source_info_bytes, type_server_bytes;
  u32le mfc_type_server;
  u32le debug_header_bytes, edit_continue_bytes;
  u16le flags;  ///< bit 1: private symbols were stripped
  u16le machine;
  u32le reserved;
};
static_assert(sizeof(DbiHeader) == 64);

struct ContributionV60 {
  u16le segment, padding;
  u32le offset, size, characteristics;
  u16le module, padding2;
  u32le data_crc, relocation_crc;
};
static_assert(sizeof(ContributionV60) == 28);

struct ContributionV2 {
  ContributionV60 base;
  u32le coff_section;
};
static_assert(sizeof(ContributionV2) == 32);

struct ModuleHeader {
  u32le unused;
  ContributionV60 first;
  u16le flags, stream;
  u32le symbol_bytes, c11_bytes, c13_bytes;
  u16le file_count, padding;
  u32le unused2, source_name, pdb_name;
};
static_assert(sizeof(ModuleHeader) == 64);

struct NamesHeader {
  u32le magic, hash_version, bytes;
};
static_assert(sizeof(NamesHeader) == 12);

/// Slots of the optional debug header.
enum DebugSlot : std::size_t { kOmapFromSource = 4, kSections = 5, kOriginalSections = 10 };

/// What may follow the map of named streams; the numbers not listed do not matter here.
constexpr std::uint32_t kFeatureVc110 = 20091201;      ///< nothing follows it
constexpr std::uint32_t kFeatureMinimal = 0x494E494D;  ///< "MINI": linked with /DEBUG:FASTLINK

bool has_feature(ByteReader in, std::uint32_t wanted) {
  for (;;) {
    const auto feature = in.read<u32le>("pdb.info.features");
    if (!feature || *feature == kFeatureVc110) return false;
    if (*feature == wanted) return true;
  }
}

}  // namespace

bool is_source_link(std::string_view stream_name) {
  constexpr std::string_view kName = "sourcelink";
  return stream_name.starts_with(kName) && (stream_name.size() == kName.size() || stream_name[kName.size()] == '$');
}

Read<File> File::open(Bytes bytes) {
  File file;
  SC_TRY(file.msf_, Msf::open(bytes));
  if (const auto ok = file.read_info(); !ok) return std::unexpected(ok.error());
  if (!file.msf_.has_stream(kDbiStream) || file.msf_.stream_size(kDbiStream) == 0) return file;
  if (const auto ok = file.read_dbi(); !ok) return std::unexpected(ok.error());
  return file;
}

Read<void> File::read_info() {
  SC_TRY(const Bytes data, msf_.stream(kInfoStream, info_bytes_, "pdb.info"));
  ByteReader in(data);
  SC_TRY(const auto header, in.read<InfoHeader>("pdb.info"));
  info_age_ = header.age;
  debug_id_ = {Guid::from_windows(header.guid), header.age};
  if (in.at_end()) return {};
  if (auto read = read_named_streams(in); !read) return read;
  fastlink_ = has_feature(in, kFeatureMinimal);
  const auto names = std::ranges::find(named_streams_, "/names", &NamedStream::name);
  return names == named_streams_.end() ? Read<void>{} : read_names(names->stream);
}

/// The map from names to numbers at the end of the info stream; leaves `in` behind the map.
Read<void> File::read_named_streams(ByteReader& in) {
  SC_TRY(const std::uint32_t text_bytes, in.read<u32le>("pdb.named_streams.text_bytes"));
  SC_TRY(const Bytes text, in.take(text_bytes, "pdb.named_streams.text"));
  SC_TRY(const std::uint32_t count, in.read<u32le>("pdb.named_streams.count"));
  SC_TRY([[maybe_unused]] const std::uint32_t capacity, in.read<u32le>("pdb.named_streams.capacity"));
  SC_TRY(const std::uint32_t present_words, in.read<u32le>("pdb.named_streams.present_words"));
  SC_TRY(const auto present, in.array<u32le>(present_words, "pdb.named_streams.present"));
  SC_TRY(const std::uint32_t deleted_words, in.read<u32le>("pdb.named_streams.deleted_words"));
  if (auto ok = in.skip(std::uint64_t{deleted_words} * 4, "pdb.named_streams.deleted"); !ok) return ok;
  std::uint64_t entries = 0;
  for (const u32le word : present) entries += static_cast<std::uint64_t>(std::popcount(std::uint32_t{word}));
  if (entries != count) return bad_value("pdb.named_streams.count", 0, count, entries);
  for (std::uint64_t i = 0; i < entries; ++i) {
    SC_TRY(const std::uint32_t key, in.read<u32le>("pdb.named_streams.key"));
    SC_TRY(const std::uint32_t value, in.read<u32le>("pdb.named_streams.value"));
    if (key >= text.size()) return bad_value("pdb.named_streams.key", 0, key, text.size());
    const std::string_view name = as_text(text).substr(key, kMaxStreamName + 1);
    const std::size_t end = name.find('\0');
    if (end != name.npos) named_streams_.push_back({name.substr(0, end), value});
  }
  return {};
}

Read<void> File::read_names(StreamIndex index) {
  SC_TRY(const Bytes data, msf_.stream(index, names_bytes_, "pdb.names"));
  ByteReader in(data);
  SC_TRY(const auto header, in.read<NamesHeader>("pdb.names.header"));
  if (header.magic != kNamesMagic) return bad_value("pdb.names.magic", 0, header.magic, kNamesMagic);
  SC_TRY(names_, in.take(header.bytes, "pdb.names.text"));
  return {};
}

Read<void> File::read_dbi() {
  SC_TRY(const Bytes data, msf_.stream(kDbiStream, dbi_bytes_, "pdb.dbi"));
  ByteReader in(data);
  SC_TRY(const auto header, in.read<DbiHeader>("pdb.dbi.header"));
  if (header.signature != 0xFFFFFFFF) return bad_value("pdb.dbi.signature", 0, header.signature, 0xFFFFFFFF);
  if (header.version != kDbiV70) return bad_value("pdb.dbi.version", 4, header.version, kDbiV70);
  debug_id_.age = header.age;
  machine_ = header.machine;
  stripped_ = (header.flags & 2) != 0;
  symbol_records_ = header.symbol_records;
  SC_TRY(const Bytes modules, in.take(header.modules_bytes, "pdb.dbi.modules"));
  SC_TRY(const Bytes contributions, in.take(header.contributions_bytes, "pdb.dbi.contributions"));
  SC_TRY([[maybe_unused]] const Bytes map, in.take(header.section_map_bytes, "pdb.dbi.section_map"));
  SC_TRY([[maybe_unused]] const Bytes sources, in.take(header.source_info_bytes, "pdb.dbi.source_info"));
  SC_TRY([[maybe_unused]] const Bytes servers, in.take(header.type_server_bytes, "pdb.dbi.type_servers"));
  SC_TRY([[maybe_unused]] const Bytes edits, in.take(header.edit_continue_bytes, "pdb.dbi.edit_continue"));
  SC_TRY(const Bytes debug, in.take(header.debug_header_bytes, "pdb.dbi.debug_header"));
  if (auto ok = read_debug_header(debug); !ok) return ok;
  if (auto ok = read_modules(modules); !ok) return ok;
  return read_contributions(contributions);
}

Read<void> File::read_modules(Bytes data) {
  ByteReader in(data);
  std::vector<bool> taken(msf_.stream_count());
  while (!in.at_end()) {
    SC_TRY(const auto header, in.read<ModuleHeader>("pdb.dbi.module"));
    if (header.stream < taken.size()) {
      if (taken[header.stream]) return bad_value("pdb.dbi.module.stream", in.position(), header.stream);
      taken[header.stream] = true;
    }
    ModuleInfo module;
    SC_TRY(module.name, in.c_string("pdb.dbi.module.name"));
    SC_TRY(module.object_file, in.c_string("pdb.dbi.module.object_file"));
    in.align(4);
    module.stream = header.stream;
    module.symbol_bytes = header.symbol_bytes;
    module.c11_bytes = header.c11_bytes;
    module.c13_bytes = header.c13_bytes;
    modules_.push_back(module);
  }
  return {};
}

Read<void> File::read_contributions(Bytes data) {
  if (data.empty()) return {};
  ByteReader in(data);
  SC_TRY(const std::uint32_t version, in.read<u32le>("pdb.dbi.contributions.version"));
  if (version != kContributionsV60 && version != kContributionsV2)
    return bad_value("pdb.dbi.contributions.version", 0, version, kContributionsV60);
  const std::size_t record = version == kContributionsV2 ? sizeof(ContributionV2) : sizeof(ContributionV60);
  contributions_.reserve(in.left() / record);
  while (in.left() >= record) {
    SC_TRY(const Bytes bytes, in.take(record, "pdb.dbi.contributions"));
    SC_TRY(const auto c, read_at<ContributionV60>(bytes, 0, "pdb.dbi.contributions"));
    if (c.size != 0) contributions_.push_back({{c.segment, c.offset}, c.size, c.module});
  }
  const auto by_start = [](const Contribution& a, const Contribution& b) { return a.start < b.start; };
  if (!std::ranges::is_sorted(contributions_, by_start)) std::ranges::stable_sort(contributions_, by_start);
  return {};
}

template <class T>
Read<std::span<const T>> File::read_table(StreamIndex index, std::vector<std::byte>& owned, std::string_view field) {
  if (index == kNoStream || !msf_.has_stream(index)) return std::span<const T>{};
  SC_TRY(const Bytes data, msf_.stream(index, owned, field));
  return ByteReader(data).array<T>(data.size() / sizeof(T), field);
}

Read<void> File::read_debug_header(Bytes data) {
  SC_TRY(const auto slots, ByteReader(data).array<u16le>(data.size() / 2, "pdb.dbi.debug_header"));
  const auto slot = [&](std::size_t i) -> StreamIndex { return i < slots.size() ? StreamIndex{slots[i]} : kNoStream; };
  SC_TRY(omap_, read_table<OmapEntry>(slot(kOmapFromSource), omap_bytes_, "pdb.omap_from_source"));
  if (!std::ranges::is_sorted(omap_, {}, [](const OmapEntry& e) { return std::uint32_t{e.source}; }))
    return bad_value("pdb.omap_from_source", 0, omap_.size());
  const bool reordered = !omap_.empty() && slot(kOriginalSections) != kNoStream;
  SC_TRY(sections_, read_table<SectionHeader>(slot(reordered ? kOriginalSections : kSections), sections_bytes_,
                                              "pdb.section_headers"));
  return {};
}

const Contribution* File::contribution_at(SectionOffset at) const {
  const auto after = std::ranges::upper_bound(contributions_, at, {}, &Contribution::start);
  if (after == contributions_.begin()) return nullptr;
  const Contribution& candidate = *std::prev(after);
  if (candidate.start.segment != at.segment || at.offset - candidate.start.offset >= candidate.size) return nullptr;
  return &candidate;
}

std::optional<std::uint32_t> File::rva_of(SectionOffset at) const {
  if (at.segment == 0 || at.segment > sections_.size()) return std::nullopt;
  const std::uint64_t rva = std::uint64_t{sections_[at.segment - 1u].virtual_address} + at.offset;
  if (rva > 0xFFFFFFFF) return std::nullopt;
  return static_cast<std::uint32_t>(rva);
}

Read<ModuleData> File::module_data(const ModuleInfo& module, std::vector<std::byte>& scratch) const {
  const std::uint64_t wanted = module.bytes();
  if (wanted > 0xFFFFFFFF) return too_large("pdb.dbi.module.c13_bytes", 0, wanted, 0xFFFFFFFF);
  SC_TRY(const Bytes data, msf_.stream(module.stream, scratch, "pdb.module", static_cast<std::uint32_t>(wanted)));
  ModuleData parts;
  SC_TRY(parts.c13, slice(data, wanted - module.c13_bytes, module.c13_bytes, "pdb.module.c13"));
  SC_TRY(parts.symbols, slice(data, 0, module.symbol_bytes, "pdb.module.symbols"));
  return parts;
}

std::string_view File::name_at(std::uint32_t offset) const {
  if (offset >= names_.size() || (offset != 0 && names_[offset - 1] != std::byte{0})) return {};
  const auto name = ByteReader(names_.subspan(offset)).c_string("pdb.names");
  return name ? *name : std::string_view{};
}

}  // namespace symcached::pdb
