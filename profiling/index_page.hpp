#pragma once
#include <span>
#include <string>
#include <string_view>

namespace symcached::pprof {

struct IndexRow {
  std::string_view link;  ///< relative to the page
  std::string_view what;  ///< plain English
};

/// A page of HTML without scripts and without anything from elsewhere.
std::string index_html(std::string_view program, std::span<const IndexRow> rows);

}  // namespace symcached::pprof
