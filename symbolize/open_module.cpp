#include "symbolize/open_module.hpp"

#include <fmt/format.h>

#include <chrono>
#include <new>
#include <utility>

#include "formats/ar/reader.hpp"
#include "object/identify.hpp"
#include "object/translate.hpp"
#include "object/unwrap.hpp"
#include "symbolize/derive.hpp"
#include "symbolize/native_pdb.hpp"
#include "symbolize/seen_files.hpp"

namespace symcached::symbolize {

std::string hidden_names_text(const std::filesystem::path& path) {
  return fmt::format("{}: names are hidden (__hidden#1_), and its BCSymbolMap was not found", path.string());
}

std::expected<OpenedModule, std::string> OpenedModule::open(const std::filesystem::path& named,
                                                            const OpenOptions& options) {
  const std::filesystem::path path = debug_file_in(named);
  if (options.cache == nullptr || options.managed_only) return convert(path, options, nullptr);
  const auto mapped = MappedFile::open(path);
  if (!mapped || !options.cache->is_for(mapped->bytes().size())) return convert(path, options, nullptr);
  const Bytes bytes = mapped->bytes();
  if (symcache::is_symcache(bytes) || ppdbcache::is_ppdbcache(bytes)) return convert(path, options, nullptr);
  if (ar::is_archive(bytes)) return convert(path, options, nullptr);  // a thin one changes when its members do
  const FileKey key = file_key_of(path, bytes, options.far);
  if (key.stamp.size == 0) return convert(path, options, nullptr);  // of the kernel: nothing tells that it changed
  if (auto kept = from_cache(bytes, key, *options.cache)) return *std::move(kept);
  return convert(path, options, &key);
}

std::optional<OpenedModule> OpenedModule::from_cache(Bytes file, const FileKey& key, UserCache& cache) {
  auto found = cache.find(key);
  if (!found) return std::nullopt;
  auto module = Module::view(found->symcache);
  if (!module) return std::nullopt;
  OpenedModule opened;
  opened.kept_ = std::move(found->mapped);
  opened.warnings_ = std::move(found->warnings);
  opened.stated_image_base_ = object::stated_image_base(file);
  opened.module_ = *std::move(module);
  return opened;
}

/// @param key  what the user's cache is to keep the result as; null: not at all
std::expected<OpenedModule, std::string> OpenedModule::convert(const std::filesystem::path& path,
                                                               const OpenOptions& options, const FileKey* key) {
  auto file = OriginalFile::open(path, options.inflate);
  if (!file) return std::unexpected(std::move(file.error()));
  const auto failed = [&](const std::string& why) {
    return std::unexpected(fmt::format("{}: {}", path.string(), why));
  };
  OpenedModule opened;
  opened.file_ = *std::move(file);
  const Bytes bytes = opened.file_.bytes();
  const bool is_managed = ppdbcache::is_ppdbcache(bytes) || object::is_managed(bytes);
  if (options.managed_only && !is_managed) return failed("neither a Portable PDB nor a .NET assembly");
  const bool is_image = object::identify(bytes) == object::FileKind::pe;
  auto module = [&]() -> std::expected<Module, std::string> {
    if (ppdbcache::is_ppdbcache(bytes) || symcache::is_symcache(bytes)) return Module::view(bytes);
    if (!is_managed) return opened.derive(path, options, key);
    auto cache = opened.derive_managed(path, options);
    if (!cache) return std::unexpected(std::move(cache.error()));
    return Module::own(*std::move(cache));
  }();
  if (!module && !opened.warnings_.empty()) return failed(module.error() + "; " + opened.warnings_.front());
  if (!module) return failed(module.error());
  opened.module_ = *std::move(module);
  if (opened.to_keep_ && opened.growing_ == nullptr) opened.keep_in(*options.cache);
  if (is_managed && is_image && opened.module_->ppdbcache()->point_count() == 0)
    opened.warnings_.push_back(fmt::format("{}: no usable PDB; files and lines are unknown", path.string()));
  return opened;
}

std::expected<OpenedModule, std::string> OpenedModule::from_bytes(Bytes bytes, const OpenOptions& options) {
  const auto unwrapped = object::unwrap(bytes, options.inflate);
  if (!unwrapped) return std::unexpected(unwrapped.error());
  const Bytes plain = *unwrapped ? (*unwrapped)->file.bytes() : bytes;
  OpenedModule opened;
  std::vector<std::byte> cache;
  if (ppdbcache::is_ppdbcache(plain) || symcache::is_symcache(plain)) {
    cache.assign(plain.begin(), plain.end());
  } else {
    auto derived = derive_cache(
        {.file = plain, .threads = options.threads, .inflate = *unwrapped ? (*unwrapped)->inner : options.inflate});
    if (!derived) return std::unexpected(std::move(derived.error()));
    cache = std::move(derived->file);
    opened.stated_image_base_ = object::stated_image_base(plain);
  }
  auto module = Module::own(std::move(cache));
  if (!module) return std::unexpected(std::move(module.error()));
  opened.module_ = *std::move(module);
  return opened;
}

/// @param key  as of convert()
std::expected<Module, std::string> OpenedModule::derive(const std::filesystem::path& path, const OpenOptions& options,
                                                        const FileKey* key) {
  const auto begin = std::chrono::steady_clock::now();
  SeenFiles seen;
  SeenFiles* const noted = key != nullptr ? &seen : nullptr;
  stated_image_base_ = object::stated_image_base(file_.bytes());
  NativePdb pdb = find_native_pdb(path, file_.bytes(), noted);
  if (!pdb.warning.empty()) warnings_.push_back(std::move(pdb.warning));
  if (pdb.path) {
    auto opened = OriginalFile::open(*pdb.path, options.inflate);
    if (!opened) return std::unexpected(std::move(opened.error()));
    file_ = *std::move(opened);
  }
  const Bytes bytes = file_.bytes();
  Companions companions = find_companions(pdb.path.value_or(path), bytes, options.far, noted);
  const auto keep_later = [&](Contents contents) {
    if (key == nullptr || !seen.is_whole() || look_at(key->stamp.path) != key->stamp) return;
    const auto cost = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
    to_keep_ = {*key, {.seen = seen.take(), .warnings = warnings_}, contents, cost, path};
  };
  if (options.growing) growing_ = ConvertedOnDemand::open(file_, companions, options.threads, *options.growing);
  if (growing_ != nullptr) {
    keep_later(Contents::nothing);
    cache_ = options.cache;
    return Module::growing(growing_);
  }
  const auto release = [&] {
    file_.release_pages();
    companions.release_pages();
  };
  auto derived = derive_symcache({bytes, companions.all(), release, options.threads, file_.inflate()});
  if (!derived) return std::unexpected(std::move(derived.error()));
  if (derived->names_are_hidden) warnings_.push_back(hidden_names_text(path));
  file_ = {};
  keep_later(derived->contents);
  return Module::own(std::move(derived->file));
}

void OpenedModule::keep_in(UserCache& cache) {
  keeping_ = std::jthread([&cache, what = *std::exchange(to_keep_, {}), symcache = module_->cache()] {
    try {
      cache.keep(what.key, {symcache, what.record, what.contents, what.cost});
    } catch (const std::bad_alloc&) {  // then it is not kept
    }
  });
}

/// Of a file that was converted on demand: all of it is kept if it came to that; if not, somebody else converts it
/// for the next time.
void OpenedModule::finish_keeping() {
  if (growing_ == nullptr || cache_ == nullptr || !to_keep_) return;
  const DerivedSymcache* const converted = growing_->converted();
  if (converted == nullptr && growing_->has_pieces() && growing_->trouble().empty())
    cache_->fill_behind(to_keep_->path);
  if (converted == nullptr) return;
  to_keep_->contents = converted->contents;
  keep_in(*cache_);
}

OpenedModule::~OpenedModule() {
  finish_keeping();
  if (keeping_.joinable()) keeping_.join();
}

std::string OpenedModule::trouble() const { return growing_ == nullptr ? std::string() : growing_->trouble(); }

OpenedModule::Cache OpenedModule::derive_managed(const std::filesystem::path& path, const OpenOptions& options) {
  const Bytes bytes = file_.bytes();
  on_disk_ = find_companions(path, bytes, options.far);
  companions_.assign(on_disk_.all().begin(), on_disk_.all().end());
  if (options.fetch_pdb) {
    const auto files = object::ManagedFiles::open(bytes, companions_);
    if (!files) return std::unexpected(to_string(files.error()));
    if (files->pdb() == nullptr) fetch(*files, options.fetch_pdb);
  }
  auto derived = derive_ppdbcache({.file = bytes, .companions = companions_, .inflate = file_.inflate()});
  if (!derived) return std::unexpected(std::move(derived.error()));
  if (options.keep_sources)
    if (auto files = object::ManagedFiles::open(bytes, companions_)) managed_files_ = *std::move(files);
  if (!managed_files_) {
    companions_.clear();
    on_disk_ = {};
    fetched_ = {};
    file_ = {};
  }
  return std::move(derived->file);
}

void OpenedModule::fetch(const object::ManagedFiles& files, const FetchPdb& fetch_pdb) {
  if (files.debug_files().portable() == nullptr) return;
  auto fetched = fetch_pdb(files.debug_files());
  if (!fetched) {
    why_not_fetched_ = std::move(fetched.error());
    return;
  }
  fetched_ = std::move(fetched->mapped);
  companions_.push_back(
      {{.kind = object::NeedFile::Kind::portable_pdb, .path = {}, .directory = {}, .build_id = {}}, fetched->pdb});
}

}  // namespace symcached::symbolize
