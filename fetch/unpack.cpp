#include "fetch/unpack.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/inflate_limits.hpp"
#include "base/inflate_to.hpp"
#include "base/mapped_file.hpp"
#include "base/mspack.hpp"
#include "base/zip_archive.hpp"

namespace symcached::fetch {
namespace {

using namespace std::string_view_literals;
using Done = std::expected<void, UnpackFailure>;

struct WrapperRow {
  Wrapper wrapper;
  std::string_view name, magic;
};
constexpr WrapperRow kWrappers[] = {
    {Wrapper::cabinet, "cabinet", "MSCF\0\0\0\0"sv},
    {Wrapper::gzip, "gzip", "\x1f\x8b\x08"sv},
    {Wrapper::zlib, "zlib", "\x78"sv},  // and is_zlib()
    {Wrapper::zstd, "zstd", "\x28\xb5\x2f\xfd"sv},
    {Wrapper::xz, "xz", "\xfd\x37zXZ\0"sv},
    {Wrapper::zip, "zip", "PK\3\4"sv},
    {Wrapper::szdd, "szdd", "SZDD\x88\xf0\x27\x33"sv},
    {Wrapper::kwaj, "kwaj", "KWAJ\x88\xf0\x27\xd1"sv},
};

/// RFC 1950: a window of 32 KiB, no dictionary, and two bytes that are a multiple of 31.
bool is_zlib(std::string_view start) {
  constexpr unsigned kDictionary = 0x20;
  if (start.size() < 2 || start[0] != '\x78') return false;
  const unsigned flags = static_cast<unsigned char>(start[1]);
  return (0x7800 + flags) % 31 == 0 && (flags & kDictionary) == 0;
}

Done bad(std::string why) { return std::unexpected(UnpackFailure{false, std::move(why)}); }

/// Why a size that is stated beforehand is too large; empty if it is not.
std::string objection(std::uint64_t size, std::uint64_t packed, const Limits& limits) {
  if (size > limits.max_unpacked)
    return fmt::format("decompresses to {} bytes, over the limit of {}", size, limits.max_unpacked);
  if (size > allowed_from(packed, limits))
    return fmt::format("decompresses from {} to {} bytes, over the ratio limit of 1:{}", packed, size,
                       limits.max_ratio);
  return {};
}

Done unpack_cabinet(Bytes packed, const Limits& limits, const ByteSink& sink) {
  auto cabinet = mspack::Cabinet::open(packed);
  if (!cabinet) return bad(cabinet.error());
  if (cabinet->is_part_of_set()) return bad("part of a multi-cabinet set");
  if (cabinet->members().empty()) return bad("the archive is empty");
  if (cabinet->members().size() > 1) return bad("more than one member");
  const mspack::CabinetMember& member = cabinet->members().front();
  if (auto why = objection(member.offset + member.size, packed.size(), limits); !why.empty()) return bad(why);
  return cabinet->extract(0, sink);
}

Done unpack_zip(Bytes packed, const Limits& limits, const ByteSink& sink) {
  const auto archive = ZipArchive::open(packed);
  if (!archive) return bad(archive.error());
  const auto members = archive->members();
  if (!members) return bad(members.error());
  if (members->empty()) return bad("the archive is empty");
  if (members->size() > 1) return bad("more than one member");
  const ZipMember& member = members->front();
  if (auto why = objection(member.size, packed.size(), limits); !why.empty()) return bad(why);
  return archive->extract(member.index, allowed_from(packed.size(), limits), sink);
}

Done unpack_layer(Wrapper wrapper, Bytes packed, const Limits& limits, const ByteSink& sink) {
  const std::uint64_t allowed = allowed_from(packed.size(), limits);
  switch (wrapper) {
    case Wrapper::cabinet: return unpack_cabinet(packed, limits, sink);
    case Wrapper::zip: return unpack_zip(packed, limits, sink);
    case Wrapper::gzip: return inflate_to(Codec::gzip, packed, allowed, sink);
    case Wrapper::zlib: return inflate_to(Codec::zlib, packed, allowed, sink);
    case Wrapper::zstd: return inflate_to(Codec::zstd, packed, allowed, sink);
    case Wrapper::xz: return inflate_to(Codec::xz, packed, allowed, sink);
    case Wrapper::szdd: return mspack::expand(mspack::SingleFile::szdd, packed, allowed, sink);
    case Wrapper::kwaj: return mspack::expand(mspack::SingleFile::kwaj, packed, allowed, sink);
  }
  return bad("unknown wrapper");
}

}  // namespace

std::string_view name_of(Wrapper wrapper) {
  const auto* row = std::ranges::find(kWrappers, wrapper, &WrapperRow::wrapper);
  return row == std::end(kWrappers) ? "unknown" : row->name;
}

std::optional<Wrapper> wrapper_of(Bytes start, sources::FileType wanted) {
  const std::string_view text = as_text(start);
  const auto fits = [&](const WrapperRow& row) {
    return text.starts_with(row.magic) && (row.wrapper != Wrapper::zlib || is_zlib(text));
  };
  const auto* row = std::ranges::find_if(kWrappers, fits);
  if (row == std::end(kWrappers)) return std::nullopt;
  if (row->wrapper == Wrapper::zip && wanted == sources::FileType::source_bundle) return std::nullopt;
  return row->wrapper;
}

std::uint64_t allowed_from(std::uint64_t packed, const Limits& limits) {
  InflateLimits allowed;
  allowed.total = limits.max_unpacked;
  allowed.ratio = std::max<std::uint64_t>(limits.max_ratio, 1);
  return allowed.allowed(packed);
}

std::expected<void, FileError> unpack(Wrapper wrapper, Bytes packed, const Limits& limits, const ByteSink& sink) {
  auto done = unpack_layer(wrapper, packed, limits, sink);
  if (done) return {};
  if (done.error().by_sink) return std::unexpected(FileError{true, std::move(done.error().why)});
  return std::unexpected(FileError{false, fmt::format("{}: {}", name_of(wrapper), done.error().why)});
}

std::expected<void, FileError> unpack(Wrapper wrapper, int file, std::uint64_t offset, const Limits& limits,
                                      const ByteSink& sink) {
  const auto mapped = MappedFile::from_descriptor(file, name_of(wrapper));
  if (!mapped) return std::unexpected(FileError{true, mapped.error()});
  const Bytes whole = mapped->bytes();
  return unpack(wrapper, whole.subspan(static_cast<std::size_t>(std::min<std::uint64_t>(offset, whole.size()))), limits,
                sink);
}

}  // namespace symcached::fetch
