#include "app/asked_file.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/threads.hpp"

namespace symcached::app {
namespace {

std::string_view kind_of(const symbolize::Module& module) {
  if (module.is_growing()) return "elf";
  const auto* const cache = module.symcache();
  return cache == nullptr ? std::string_view() : cache->producer_kind();
}

std::optional<AskedFile::Error> trouble_with(const std::string& path) {
  using Failure = AskedFile::Failure;
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0)
    return AskedFile::Error{errno == ENOENT ? Failure::not_found : Failure::unreadable, std::strerror(errno)};
  if (S_ISDIR(status.st_mode)) {
    if (symbolize::debug_file_in(path) != path) return std::nullopt;  // a dSYM
    return AskedFile::Error{Failure::folder, std::strerror(EISDIR)};
  }
  if (!S_ISREG(status.st_mode)) return AskedFile::Error{Failure::special, "not a regular file"};
  return std::nullopt;
}

}  // namespace

AskedFile::AskedFile(std::string path, const AskedFileOptions& options, symbolize::OpenedModule opened)
    : path_(std::move(path)),
      options_(options),
      opened_(std::move(opened)),
      base_(opened_.stated_image_base().value_or(0)),
      sections_(opened_.module()) {}

std::expected<std::unique_ptr<AskedFile>, AskedFile::Error> AskedFile::open(const std::string& path,
                                                                            const AskedFileOptions& options) {
  if (auto trouble = trouble_with(path)) return std::unexpected(std::move(*trouble));
  auto opened = symbolize::OpenedModule::open(
      path, {.far = {.debug_folders = options.debug_folders, .split_package = options.split_package},
             .threads = hardware_threads(),
             .growing = {{.questions = options.questions}},
             .cache = options.split_package.empty() ? options.cache.get() : nullptr});
  if (!opened) {
    std::string why = opened.error();
    if (why.starts_with(path + ": ")) why.erase(0, path.size() + 2);
    const bool is_known = why.find("unrecognized format") == why.npos;
    return std::unexpected(Error{is_known ? Failure::unreadable : Failure::unknown_format, why});
  }
  return std::unique_ptr<AskedFile>(new AskedFile(path, options, *std::move(opened)));
}

std::uint64_t AskedFile::placed(std::uint64_t offset) const {
  if (sections_.empty()) return offset;
  const auto place = sections_.address(offset);
  return place ? place->value + base_ : ~std::uint64_t{0};
}

std::uint64_t AskedFile::placed(std::string_view section, std::uint64_t section_start, std::uint64_t offset) const {
  if (sections_.empty()) return section_start + offset;
  const auto place = sections_.address(symbolize::SectionPlace{section, offset});
  return place ? place->value + base_ : ~std::uint64_t{0};
}

bool AskedFile::is_windows_image() const {
  return opened_.stated_image_base() && (has_pdb() || kind_of(opened_.module()) == "pe");
}

bool AskedFile::has_pdb() const { return kind_of(opened_.module()) == "pdb"; }

symbolize::FileSymbols& AskedFile::symbols() {
  if (!symbols_) {
    auto original = symbolize::OriginalFile::open(path_);
    if (original) original_ = *std::move(original);
    symbols_ = symbolize::FileSymbols::open(original_.bytes());
  }
  return *symbols_;
}

symbolize::FileSymbols& AskedFile::debug_symbols() {
  if (symbols().has_symbols() || !symbols().is_elf()) return symbols();
  if (!debug_symbols_) {
    companions_ = symbolize::find_companions(path_, original_.bytes(), {.debug_folders = options_.debug_folders});
    for (const object::Companion& companion : companions_.all()) {
      if (companion.need.kind != object::NeedFile::Kind::debug_link) continue;
      debug_symbols_ = symbolize::FileSymbols::open(companion.file);
      break;
    }
    if (!debug_symbols_) debug_symbols_ = symbols();
  }
  return *debug_symbols_;
}

}  // namespace symcached::app
