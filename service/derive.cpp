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
  switch (kind) {
    case FileKind::pdb:
    case FileKind::breakpad:
    case FileKind::perf_map: return {};
    case FileKind::source_bundle:
      return "a source bundle holds sources and no symbols; name the debug file that it belongs to";
    default:
      return fmt::format(
          "file.magic: wanted a debug file, found {}; symcaches are made from PDBs, Breakpad symbols and "
          "perf maps, packed or not",
          object::name_of(kind));
  }
}

}  // namespace

std::expected<DerivedSymcache, std::string> derive_symcache(Bytes original, const std::function<void()>& release) {
  const auto unwrapped = object::unwrap(original);
  if (!unwrapped) return std::unexpected(unwrapped.error());
  if (*unwrapped && release) release();
  const Bytes file = *unwrapped ? (*unwrapped)->file.bytes() : original;
  if (auto why = refusal(object::identify(file)); !why.empty()) return std::unexpected(std::move(why));
  symcache::Writer writer;
  const object::Original plain{.file = file, .release = *unwrapped ? std::function<void()>() : release};
  if (const auto translated = object::translate(plain, writer); !translated)
    return std::unexpected(to_string(translated.error()));
  if (release) release();
  DerivedSymcache derived{std::move(writer).finish(), {}};
  const auto opened = symcache::Symcache::open(derived.file);
  if (!opened) return std::unexpected("the new symcache cannot be read: " + to_string(opened.error()));
  using symcache::Header;
  for (const auto section : {&Header::functions, &Header::subprograms, &Header::names, &Header::piece_text})
    if (opened->section_size(section) > 0xFFFFFFFF)  // positions in it have 32 bits
      return std::unexpected("symcache.header: a section would pass 4 GiB, more than version 1 of the format can hold");
  derived.debug_id = opened->debug_id();
  return derived;
}

}  // namespace symcached::service
