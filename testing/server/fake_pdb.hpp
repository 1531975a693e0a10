#pragma once
/// Files that look like PDBs to whoever reads only the first bytes, and cabinets of them.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testing/temp_folder.hpp"

namespace symcached {

inline std::string fake_pdb(std::string_view content) {
  using namespace std::string_view_literals;
  return std::string("Microsoft C/C++ MSF 7.00\r\n\x1a\x44\x53\0\0\0"sv) + std::string(content);
}

/// A cabinet with the members given, made by gcab; nothing where gcab is missing.
inline std::optional<std::string> make_cabinet(const TempFolder& folder, const std::vector<std::string>& members) {
  std::string command = "cd '" + folder.path().string() + "' && gcab --create --zip made.cab";
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::string name = "member" + std::to_string(i);
    folder.write(name, members[i]);
    command += " " + name;
  }
  command += " >/dev/null 2>&1";
  if (std::system(command.c_str()) != 0) return std::nullopt;
  std::ifstream in(folder.path() / "made.cab", std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace symcached
