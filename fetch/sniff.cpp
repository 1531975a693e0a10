#include "fetch/sniff.hpp"

namespace symcached::fetch {
namespace {

using namespace std::string_view_literals;

struct MagicRow {
  std::string_view magic;
  Content content;
};
constexpr MagicRow kMagics[] = {
    {"Microsoft C/C++ MSF 7.00\r\n\x1a\x44\x53\0\0\0"sv, Content::pdb},
    {"Microsoft MSFZ Container\r\n\x1a"sv, Content::msfz},
    {"MSCF\0\0\0\0"sv, Content::cabinet},
    {"Microsoft C/C++ program database 2.00\r\n\x1aJG\0\0"sv, Content::old_pdb},
    {"BSJB"sv, Content::portable_pdb},
    {"MZ"sv, Content::image},
    {"\x7f"
     "ELF"sv,
     Content::elf},
    {"\xce\xfa\xed\xfe"sv, Content::mach},
    {"\xcf\xfa\xed\xfe"sv, Content::mach},
    {"\xfe\xed\xfa\xce"sv, Content::mach},
    {"\xfe\xed\xfa\xcf"sv, Content::mach},
    {"\xca\xfe\xba\xbe\0"sv, Content::mach},  // several processors; the same number starts Java's classes
    {"\xca\xfe\xba\xbf\0"sv, Content::mach},
    {"\0asm"sv, Content::wasm},
    {"MODULE "sv, Content::breakpad},
    {"PK\3\4"sv, Content::zip},
    {"SYSB"sv, Content::zip},  // a source bundle's head, in front of the archive
    {"bplist00"sv, Content::property_list},
    {"BCSymbolMap Version:"sv, Content::bcsymbol_map},
};

}  // namespace

Content sniff(Bytes start) {
  std::string_view text = as_text(start);
  if (text.empty()) return Content::empty;
  for (const MagicRow& row : kMagics)
    if (text.starts_with(row.magic)) return row.content;
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '<') return Content::other;
  return text.find("plist") != std::string_view::npos ? Content::property_list : Content::web_page;
}

std::string_view describe(Content content) {
  switch (content) {
    case Content::empty: return "an empty file";
    case Content::pdb: return "a native PDB";
    case Content::old_pdb: return "a PDB of version 2.0, which is not supported";
    case Content::cabinet: return "a cabinet";
    case Content::web_page: return "a web page";
    case Content::msfz: return "an MSFZ container, which is not supported";
    case Content::portable_pdb: return "a Portable PDB";
    case Content::image: return "a program or library";
    case Content::elf: return "an ELF file";
    case Content::mach: return "a Mach-O file";
    case Content::wasm: return "a WebAssembly module";
    case Content::breakpad: return "a Breakpad symbol file";
    case Content::zip: return "a zip archive";
    case Content::property_list: return "a property list";
    case Content::bcsymbol_map: return "a BCSymbolMap";
    case Content::other: return "unrecognized format";
  }
  return "unknown";
}

}  // namespace symcached::fetch
