#include "service/derive.hpp"

#include <fmt/format.h>

#include "object/identify.hpp"
#include "symcache/reader.hpp"
#include "symcache/writer.hpp"

namespace symcached::service {

std::expected<DerivedSymcache, std::string> derive_symcache(const object::Original& original) {
  const auto kind = object::identify(original.file);
  if (!object::can_translate(kind))
    return std::unexpected(
        fmt::format("file.magic: wanted a file with debug information, found {}",
                    kind == object::FileKind::unknown ? "none of the kinds known here" : object::name_of(kind)));
  symcache::Writer writer;
  if (const auto translated = object::translate(original, writer); !translated)
    return std::unexpected(to_string(translated.error()));
  if (original.release) original.release();
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
