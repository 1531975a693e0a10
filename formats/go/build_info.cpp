#include "formats/go/build_info.hpp"

#include <algorithm>

namespace symcached::go {
namespace {

constexpr std::string_view kMark = "\xFF Go build ID: \"";
constexpr std::size_t kSearched = 32u << 10;

}  // namespace

std::size_t build_id_at(Bytes text) {
  const std::size_t at = as_text(text.first(std::min(text.size(), kSearched))).find(kMark);
  return at == std::string_view::npos ? kNoBuildId : at;
}

std::string_view find_build_id(Bytes text) {
  const std::size_t at = build_id_at(text);
  if (at == kNoBuildId) return {};
  const std::string_view rest = as_text(text).substr(at + kMark.size(), kSearched);
  const std::size_t end = rest.find('"');
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

}  // namespace symcached::go
