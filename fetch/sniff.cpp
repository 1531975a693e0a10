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
    {"BSJB"sv, Content::portable_pdb},
    {"MZ"sv, Content::image},
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
  return first != std::string_view::npos && text[first] == '<' ? Content::web_page : Content::other;
}

std::string_view describe(Content content) {
  switch (content) {
    case Content::empty: return "an empty file";
    case Content::pdb: return "a native PDB";
    case Content::cabinet: return "a cabinet";
    case Content::web_page: return "a web page";
    case Content::msfz: return "an MSFZ container, which is not supported";
    case Content::portable_pdb: return "a Portable PDB";
    case Content::image: return "a program or library";
    case Content::other: return "unrecognized format";
  }
  return "unknown";
}

}  // namespace symcached::fetch
