#include "service/derive.hpp"

#include <fmt/format.h>

#include "object/identify.hpp"
#include "object/translate.hpp"
#include "object/unwrap.hpp"
#include "symcache/reader.hpp"
#include "symcache/writer.hpp"

namespace symcached::service {
namespace {

using object::FileKind;

/// Why no symcache can be made of such a file; empty if one can.
std::string refusal(FileKind kind) {
  if (object::can_translate(kind)) return {};
  if (kind == FileKind::source_bundle)
    return "source_bundle: it holds sources and no symbols; name the debug file that it belongs to";
  return fmt::format("file.magic: wanted a file with debug information, found {}",
                     kind == FileKind::unknown ? "none of the kinds known here" : object::name_of(kind));
}

}  // namespace

std::expected<DerivedSymcache, std::string> derive_symcache(const object::Original& original) {
  const auto unwrapped = object::unwrap(original.file);
  if (!unwrapped) return std::unexpected(unwrapped.error());
  object::Original plain = original;
  if (*unwrapped) {
    if (original.release) original.release();
    plain.file = (*unwrapped)->file.bytes();
    plain.release = {};
  }
  if (auto why = refusal(object::identify(plain.file)); !why.empty()) return std::unexpected(std::move(why));
  symcache::Writer writer;
  if (const auto translated = object::translate(plain, writer); !translated)
    return std::unexpected(to_string(translated.error()));
  if (original.release) original.release();
  DerivedSymcache derived{std::move(writer).finish(original.threads), {}};
  const auto opened = symcache::Symcache::open(derived.file);
  if (!opened) return std::unexpected("the new symcache cannot be read: " + to_string(opened.error()));
  using symcache::Header;
  for (const auto section : {&Header::functions, &Header::subprograms, &Header::names, &Header::text})
    if (opened->section_size(section) > 0xFFFFFFFF)  // positions in it have 32 bits
      return std::unexpected("symcache.header: a section would pass 4 GiB, more than the format can hold");
  derived.debug_id = opened->debug_id();
  return derived;
}

}  // namespace symcached::service
