#include "symbolize/kept_record.hpp"

#include <array>

#include "base/byte_writer.hpp"

namespace symcached::symbolize {
namespace {

constexpr std::array<char, 8> kKeptMagic{'S', 'C', 'K', 'E', 'P', 'T', '1', '\n'};

struct SeenRecord {
  u64le size;
  u64le inode;
  u64le modified_ns;
  u32le path_size;
  u8le is_there;
};
static_assert(sizeof(SeenRecord) == 29 && alignof(SeenRecord) == 1);

struct KeptFooter {
  u64le record_size;  ///< bytes before the footer
  u32le seen_count;
  u32le warning_count;
  std::array<char, 8> magic;
};
static_assert(sizeof(KeptFooter) == 24 && alignof(KeptFooter) == 1);

Read<std::string> read_text(ByteReader& in, std::uint64_t size) {
  SC_TRY(const Bytes text, in.take(size, "kept.text"));
  return std::string(as_text(text));
}

Read<SeenFile> read_seen(ByteReader& in) {
  SC_TRY(const auto record, in.read<SeenRecord>("kept.seen"));
  SC_TRY(auto path, read_text(in, record.path_size));
  if (record.is_there > 1) return bad_value("kept.is_there", in.position(), record.is_there, 1);
  return SeenFile{.path = std::move(path),
                  .is_there = record.is_there == 1,
                  .size = record.size,
                  .inode = record.inode,
                  .modified_ns = static_cast<std::int64_t>(std::uint64_t{record.modified_ns})};
}

}  // namespace

std::vector<std::byte> write_kept_record(const KeptRecord& record) {
  ByteWriter out;
  for (const SeenFile& file : record.seen) {
    out.put(SeenRecord{.size = file.size,
                       .inode = file.inode,
                       .modified_ns = static_cast<std::uint64_t>(file.modified_ns),
                       .path_size = static_cast<std::uint32_t>(file.path.size()),
                       .is_there = static_cast<std::uint8_t>(file.is_there)});
    out.put_text(file.path);
  }
  for (const std::string& warning : record.warnings) {
    out.put(u32le(static_cast<std::uint32_t>(warning.size())));
    out.put_text(warning);
  }
  out.put(KeptFooter{.record_size = out.size(),
                     .seen_count = static_cast<std::uint32_t>(record.seen.size()),
                     .warning_count = static_cast<std::uint32_t>(record.warnings.size()),
                     .magic = kKeptMagic});
  return std::move(out).finish();
}

Read<KeptSymcache> read_kept_symcache(Bytes payload) {
  if (payload.size() < sizeof(KeptFooter)) return truncated("kept.footer", 0, sizeof(KeptFooter), payload.size());
  const std::size_t behind = payload.size() - sizeof(KeptFooter);
  SC_TRY(const auto footer, read_at<KeptFooter>(payload, behind, "kept.footer"));
  if (footer.magic != kKeptMagic) return bad_value("kept.magic", behind, 0);
  if (footer.record_size > behind) return too_large("kept.record_size", behind, footer.record_size, behind);
  const std::size_t symcache_size = behind - static_cast<std::size_t>(footer.record_size);
  KeptSymcache kept{.symcache = payload.first(symcache_size), .record = {}};
  ByteReader in(payload.subspan(symcache_size, static_cast<std::size_t>(footer.record_size)), symcache_size);
  for (std::uint32_t i = 0; i < footer.seen_count; ++i) {
    SC_TRY(auto file, read_seen(in));
    kept.record.seen.push_back(std::move(file));
  }
  for (std::uint32_t i = 0; i < footer.warning_count; ++i) {
    SC_TRY(const auto size, in.read<u32le>("kept.warning"));
    SC_TRY(auto warning, read_text(in, size));
    kept.record.warnings.push_back(std::move(warning));
  }
  if (!in.at_end()) return bad_value("kept.record_size", behind, footer.record_size);
  return kept;
}

}  // namespace symcached::symbolize
