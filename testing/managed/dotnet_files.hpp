#pragma once
/// The stored .NET files of testing/dotnet/. Tests run from the root of the repository.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.hpp"
#include "formats/pe/managed.hpp"

namespace symcached::testkit {

inline constexpr std::string_view kDotnetVariants[] = {"debug", "release", "sources", "embedded"};

inline std::string dotnet_file(std::string_view variant, std::string_view name) {
  const auto path = std::filesystem::path("testing/dotnet") / variant / name;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The Portable PDB beside or inside of Traces.dll.
inline std::string dotnet_pdb(std::string_view variant) {
  if (variant != "embedded") return dotnet_file(variant, "Traces.pdb");
  const std::string assembly = dotnet_file(variant, "Traces.dll");
  const auto image = pe::Image::open(as_bytes(assembly));
  const auto files = pe::debug_files(image.value());
  const auto pdb = pe::unpack(files.value().embedded.value());
  return std::string(as_text(pdb.value().bytes()));
}

/// One flat JSON object of a line of frames.jsonl: texts without their quotes, everything else as written.
inline std::map<std::string, std::string> json_line(std::string_view line) {
  std::map<std::string, std::string> fields;
  std::vector<std::string> words;
  for (std::size_t i = 1; i < line.size();) {
    if (line[i] == ':' || line[i] == ',' || line[i] == '}') {
      ++i;
      continue;
    }
    std::string word;
    const bool quoted = line[i] == '"';
    i += quoted ? 1 : 0;
    for (; i < line.size() && (quoted ? line[i] != '"' : line[i] != ',' && line[i] != '}'); ++i) {
      if (line[i] != '\\') {
        word += line[i];
      } else if (line[++i] == 'u') {
        word += static_cast<char>(*hex_digit(line[i + 3]) << 4 | *hex_digit(line[i + 4]));
        i += 4;
      } else {
        word += line[i];
      }
    }
    i += quoted ? 1 : 0;
    words.push_back(word);
  }
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) fields[words[i]] = words[i + 1];
  return fields;
}

inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace symcached::testkit
