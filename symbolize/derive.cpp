#include "symbolize/derive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "object/identify.hpp"
#include "object/managed/files.hpp"
#include "object/managed/translate.hpp"
#include "object/translate.hpp"
#include "object/unwrap.hpp"
#include "ppdbcache/reader.hpp"
#include "ppdbcache/writer.hpp"
#include "symcache/reader.hpp"
#include "symcache/writer.hpp"

namespace symcached::symbolize {
namespace {

using object::FileKind;

/// Why no symcache can be made of such a file; empty if one can.
std::string refusal(FileKind kind) {
  if (object::can_translate(kind)) return {};
  if (kind == FileKind::source_bundle) return "a source bundle has no symbols; give the debug file that it belongs to";
  if (kind == FileKind::unknown) return "unrecognized format";
  if (kind == FileKind::symcache || kind == FileKind::ppdbcache)
    return fmt::format("already a {}", object::name_of(kind));
  return fmt::format("expected a file with debug information, found {}", object::name_of(kind));
}

/// An original taken out of what it is packed in.
struct Plain {
  object::Original original;
  std::optional<object::Unwrapped> unwrapped;  ///< what `original` views, if it was packed
};

std::expected<Plain, std::string> plain_of(const object::Original& original) {
  auto unwrapped = object::unwrap(original.file, original.inflate);
  if (!unwrapped) return std::unexpected(std::move(unwrapped.error()));
  Plain plain{original, *std::move(unwrapped)};
  if (plain.unwrapped) {
    if (original.release) original.release();
    plain.original.file = plain.unwrapped->file.bytes();
    plain.original.release = {};
    plain.original.inflate = plain.unwrapped->inner;
  }
  return plain;
}

bool lacks_symbol_map(const object::Original& original) {
  const auto needed = object::needed_files(original.file, original.companions);
  return std::ranges::find(needed, object::NeedFile::Kind::symbol_map, &object::NeedFile::kind) != needed.end();
}

}  // namespace

std::expected<DerivedSymcache, std::string> derive_symcache(const object::Original& original,
                                                            symcache::Columns columns) {
  const auto unwrapped = plain_of(original);
  if (!unwrapped) return std::unexpected(unwrapped.error());
  const object::Original& plain = unwrapped->original;
  if (auto why = refusal(object::identify(plain.file)); !why.empty()) return std::unexpected(std::move(why));
  symcache::Writer writer(columns);
  if (const auto translated = object::translate(plain, writer); !translated)
    return std::unexpected(to_string(translated.error()));
  if (original.release) original.release();
  DerivedSymcache derived{std::move(writer).finish(original.threads), {}};
  const auto opened = symcache::Symcache::open(derived.file);
  if (!opened) return std::unexpected("the new symcache cannot be read: " + to_string(opened.error()));
  using symcache::Header;
  for (const auto section : {&Header::functions, &Header::subprograms, &Header::names, &Header::text})
    if (opened->section_size(section) > 0xFFFFFFFF)  // positions in it have 32 bits
      return std::unexpected("a section would exceed 4 GiB, the limit of the format (symcache.header)");
  derived.debug_id = opened->debug_id();
  derived.contents = contents_of(*opened);
  derived.names_are_hidden = opened->producer_kind() == "macho" && lacks_symbol_map(plain);
  if (derived.names_are_hidden) derived.contents = with_hidden_names(derived.contents);
  return derived;
}

std::expected<DerivedPpdbcache, std::string> derive_ppdbcache(const object::Original& original) {
  const auto plain = plain_of(original);
  if (!plain) return std::unexpected(plain.error());
  const Bytes file = plain->original.file;
  if (!object::is_managed(file))
    return std::unexpected(
        fmt::format("expected a Portable PDB or a .NET assembly, found {}", object::name_of(object::identify(file))));
  ppdbcache::Writer writer(file.size() / 2);
  if (const auto translated = object::translate_managed(plain->original, writer); !translated)
    return std::unexpected(to_string(translated.error()));
  auto written = std::move(writer).finish();
  if (!written) return std::unexpected(to_string(written.error()));
  DerivedPpdbcache derived{*std::move(written), {}};
  const auto opened = ppdbcache::Reader::open(derived.file);
  if (!opened) return std::unexpected("the new ppdbcache cannot be read: " + to_string(opened.error()));
  derived.debug_id = opened->debug_id();
  derived.contents = contents_of(*opened);
  return derived;
}

std::expected<DerivedCache, std::string> derive_cache(const object::Original& original, symcache::Columns columns) {
  if (object::is_managed(original.file)) {
    auto managed = derive_ppdbcache(original);
    if (!managed) return std::unexpected(std::move(managed.error()));
    return DerivedCache{CacheKind::ppdbcache, std::move(managed->file), managed->debug_id, managed->contents};
  }
  auto native = derive_symcache(original, columns);
  if (!native) return std::unexpected(std::move(native.error()));
  return DerivedCache{CacheKind::symcache, std::move(native->file), native->debug_id, native->contents,
                      native->names_are_hidden};
}

}  // namespace symcached::symbolize
