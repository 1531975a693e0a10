#pragma once
/// Text of `srcsrv` streams.
#include <string>
#include <string_view>

namespace symcached::testkit {

/// @param variables, files  lines, each with its end
inline std::string source_server_text(std::string_view variables, std::string_view files) {
  std::string text = "SRCSRV: ini ------\nVERSION=2\nVERCTRL=http\nSRCSRV: variables ------\n";
  text.append(variables).append("SRCSRV: source files ------\n").append(files);
  return text.append("\nSRCSRV: end ------\n");
}

}  // namespace symcached::testkit
