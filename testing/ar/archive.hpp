#pragma once
/// Assembles archives of object files.
#include <string>
#include <string_view>

#include "testing/assembler.hpp"

namespace symcached::testkit {

/// The record before a member's data.
inline Section& ar_header(Section& out, std::string_view name, std::size_t size, std::string_view modified = "0") {
  const auto padded = [&](std::string_view text, std::size_t width) {
    out.text(text).text(std::string(width - text.size(), ' '));
  };
  padded(name, 16), padded(modified, 12), padded("0     0     100644", 20), padded(std::to_string(size), 10);
  return out.text("`\n");
}

inline Section& ar_member(Section& out, std::string_view name, Bytes data, std::string_view modified = "0") {
  ar_header(out, name, data.size(), modified).bytes(data);
  return data.size() % 2 != 0 ? out.text("\n") : out;
}

/// With the name before the data, as BSD's and Apple's tools write it.
inline Section& ar_bsd_member(Section& out, std::string_view name, Bytes data, std::string_view modified = "0") {
  ar_header(out, "#1/" + std::to_string(name.size()), name.size() + data.size(), modified).text(name).bytes(data);
  return (name.size() + data.size()) % 2 != 0 ? out.text("\n") : out;
}

}  // namespace symcached::testkit
