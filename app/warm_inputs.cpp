#include "app/warm_inputs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/mapped_file.hpp"
#include "object/identify.hpp"
#include "sources/module_collector.hpp"
#include "sources/module_line.hpp"
#include "sources/module_list.hpp"

namespace symcached::app {
namespace {

namespace fs = std::filesystem;

using object::FileKind;

/// All of stdin, up to one byte more than a list may have; or a sentence.
std::expected<std::string, std::string> read_stdin() {
  constexpr std::size_t kPiece = 64 * 1024;
  std::string text;
  while (text.size() <= sources::kMaxModuleList) {
    const std::size_t had = text.size();
    text.resize(had + kPiece);
    const ssize_t n = ::read(STDIN_FILENO, text.data() + had, kPiece);
    if (n < 0 && errno != EINTR) return std::unexpected(fmt::format("standard input: {}", std::strerror(errno)));
    text.resize(had + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (n == 0) break;
  }
  return text;
}

void read_list(const std::string& name, std::string_view text, WarmInputs& out) {
  auto list = sources::parse_module_list(text);
  if (!list) return out.errors.push_back(fmt::format("{}: {}", name, list.error()));
  if (list->unknown != 0) {
    out.warnings.push_back(fmt::format("{}: {} lines are no modules", name, list->unknown));
    for (const std::string& line : list->first_unknown) out.warnings.push_back(fmt::format("{}: \"{}\"", name, line));
  }
  std::ranges::move(list->modules, std::back_inserter(out.modules));
}

/// Whether it is a debug file or program with an id.
bool read_object(const fs::path& path, Bytes file, WarmInputs& out) {
  auto module = module_of(object::describe(file), path.filename().string());
  const bool has_id = module.debug_id || !module.code_id.empty();
  if (has_id) out.modules.push_back(std::move(module));
  return has_id;
}

void read_file(const fs::path& path, WarmInputs& out) {
  const auto file = MappedFile::open(path);
  if (!file) out.errors.push_back(file.error());
  else if (object::identify(file->bytes()) == FileKind::unknown) read_list(path.string(), as_text(file->bytes()), out);
  else if (!read_object(path, file->bytes(), out))
    out.errors.push_back(fmt::format("{}: has no id that its module could be found by", path.string()));
}

/// Each module once.
void drop_repeats(std::vector<sources::ModuleIds>& modules) {
  sources::ModuleCollector once;
  for (sources::ModuleIds& module : modules) once.module(std::move(module));
  modules = std::move(once).finish().modules;
}

/// Files that cannot be read, or are something else, are passed over.
void read_directory(const fs::path& directory, WarmInputs& out) {
  std::error_code error;
  auto entry = fs::recursive_directory_iterator(directory, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (!entry->is_regular_file(ignored)) continue;
    const auto file = MappedFile::open(entry->path());
    if (file && object::identify(file->bytes()) != FileKind::unknown) read_object(entry->path(), file->bytes(), out);
  }
  if (error) out.errors.push_back(fmt::format("{}: {}", directory.string(), error.message()));
}

}  // namespace

sources::ModuleIds module_of(const object::FileInfo& info, const std::string& name) {
  sources::ModuleIds module{.debug_file = info.debug_file,
                            .code_id = sources::parse_code_id(info.code_id).value_or(""),
                            .debug_id = info.debug_id};
  const bool is_pdb = info.kind == FileKind::pdb || info.kind == FileKind::portable_pdb;
  if (!is_pdb) module.code_file = name;
  if (is_pdb && module.debug_file.empty()) module.debug_file = name;
  for (const object::Link& link : info.links)
    if (module.debug_file.empty() && info.debug_id && link.debug_id == info.debug_id->dashed())
      module.debug_file = link.path;
  for (const std::string& text : info.checksums)
    if (auto checksum = sources::parse_checksum(text)) module.checksums.push_back(std::move(*checksum));
  return module;
}

WarmInputs read_warm_inputs(const std::vector<std::string>& inputs) {
  WarmInputs out;
  for (const std::string& input : inputs) {
    std::error_code ignored;
    if (input == "-") {
      if (const auto text = read_stdin()) read_list("standard input", *text, out);
      else out.errors.push_back(text.error());
    } else if (fs::is_directory(input, ignored)) {
      read_directory(input, out);
    } else {
      read_file(input, out);
    }
  }
  drop_repeats(out.modules);
  return out;
}

}  // namespace symcached::app
