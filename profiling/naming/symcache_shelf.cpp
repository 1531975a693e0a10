#include "profiling/naming/symcache_shelf.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <thread>

#include "base/descriptor.hpp"
#include "profiling/naming/debug_file.hpp"
#include "profiling/naming/memory_copy.hpp"
#include "profiling/naming/module_symbols.hpp"

namespace symcached::pprof {
namespace {

constexpr std::size_t kMaxModules = 4096;
constexpr int kPriority = 10;  ///< the lowest, 19, would get nothing done while the program uses all processors
constexpr std::uint32_t kFetchTimeoutMs = 300'000;
constexpr std::uint64_t kMaxKept = std::uint64_t{1} << 30;  ///< bytes of a symcache on disk

std::string shelf_key(const CodeMapping& mapping) {
  return mapping.path + '\n' + mapping.module.build_id + '\n' + std::to_string(mapping.inode);
}

bool write_all(int file, const void* bytes, std::size_t size) {
  for (auto at = static_cast<const char*>(bytes); size != 0;) {
    const ssize_t wrote = ::write(file, at, size);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    at += wrote;
    size -= static_cast<std::size_t>(wrote);
  }
  return true;
}

/// The program's own business comes first, and its signals are its own.
void become_modest() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kPriority);
}

}  // namespace

std::optional<std::uint64_t> OpenSymcache::rva_of(const CodeMapping& mapping, std::uintptr_t address) const {
  const auto begin = code_address(segments_, mapping.module.file_offset);
  if (!begin || *begin < image_base_) return std::nullopt;
  return *begin - image_base_ + (address - mapping.module.begin);
}

std::size_t OpenSymcache::size() const {
  std::size_t size = 0;
  functions_.cache(module_, &size);
  return size;
}

std::shared_ptr<const OpenSymcache> SymcacheShelf::get(const CodeMapping& mapping) {
  if (mapping.kind != CodeMapping::Kind::file) return nullptr;
  const std::lock_guard lock(mutex_);
  const std::string key = shelf_key(mapping);
  if (const auto at = entries_.find(key); at != entries_.end()) {
    at->second.used = Clock::now();
    return at->second.symcache;
  }
  if (is_stopped_ || entries_.size() >= kMaxModules) return nullptr;
  entries_.emplace(key, Entry{nullptr, Clock::now()});
  jobs_.push_back({key, mapping});
  start_thread();
  return nullptr;
}

void SymcacheShelf::start_thread() {
  if (is_working_) return;
  try {
    std::thread([self = shared_from_this()] { self->work(); }).detach();
    is_working_ = true;
  } catch (const std::system_error&) {  // no more threads: tried again with the next module
  }
}

void SymcacheShelf::work() {
  become_modest();
  for (Job job; take_job(job);) {
    try {
      if (has_library()) put(job.key, make(job.mapping));
      else stop();
    } catch (const std::exception&) {  // out of memory: the fallback goes on answering
    }
  }
}

bool SymcacheShelf::take_job(Job& out) {
  const std::lock_guard lock(mutex_);
  if (jobs_.empty() || is_stopped_) {
    is_working_ = false;
    idle_.notify_all();
    return false;
  }
  out = std::move(jobs_.front());
  jobs_.pop_front();
  return true;
}

bool SymcacheShelf::has_library() {
  if (has_functions_) return true;
  const auto found = options_.functions ? options_.functions : find_library(options_.library);
  if (found) functions_ = *found;
  return has_functions_ = found.has_value();
}

void SymcacheShelf::put(const std::string& key, std::shared_ptr<const OpenSymcache> made) {
  if (made == nullptr) return;
  const std::lock_guard lock(mutex_);
  entries_[key] = {std::move(made), Clock::now()};
  std::size_t all = 0;
  for (const auto& [name, entry] : entries_) all += entry.symcache == nullptr ? 0 : entry.symcache->size();
  while (all > options_.memory) {
    const auto age = [](const auto& e) {
      return e.second.symcache == nullptr ? Clock::time_point::max() : e.second.used;
    };
    const auto oldest = std::ranges::min_element(entries_, {}, age);
    if (oldest->first == key || oldest->second.symcache == nullptr) break;
    all -= oldest->second.symcache->size();
    entries_.erase(oldest);
  }
}

std::shared_ptr<const OpenSymcache> SymcacheShelf::make(const CodeMapping& mapping) const {
  std::string path;
  auto image = open_module_file(mapping, &path);
  if (!image) image = ElfFile::open(copy_from_memory(mapping));
  if (!image) return nullptr;
  const std::string& build_id = mapping.module.build_id;
  symcached_module* module = open_kept(build_id);
  if (module == nullptr) {
    module = convert(mapping, *image, std::move(path));
    if (module == nullptr) return nullptr;
    keep(module, build_id);
    // What is on disk is mapped, where the kernel may drop what nobody reads.
    if (symcached_module* const mapped = open_kept(build_id)) functions_.close(std::exchange(module, mapped));
  }
  return std::make_shared<OpenSymcache>(functions_, module, image->segments(), image->image_base());
}

/// @param path  of the module's own file; empty if it is gone
symcached_module* SymcacheShelf::convert(const CodeMapping& mapping, const ElfFile& image, std::string path) const {
  if (image.section(".debug_info") == nullptr) {
    const auto debug = find_debug_file(image, mapping.path, options_.debug_folders);
    symcached_module* const fetched = debug ? nullptr : fetch_and_convert(mapping.module.build_id);
    if (fetched != nullptr) return fetched;
    if (debug && path.empty()) path = debug->path;  // else libsymcached finds it, and reads both
  }
  return path.empty() ? nullptr : open_file(path);
}

symcached_module* SymcacheShelf::fetch_and_convert(const std::string& build_id) const {
  if (build_id.empty() || (options_.servers.empty() && options_.sources.empty())) return nullptr;
  std::string folder = (std::filesystem::temp_directory_path() / "symcached-pprof-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return nullptr;
  std::string path = fetch(options_.servers, options_.token, build_id, folder);
  if (path.empty()) path = fetch(options_.sources, {}, build_id, folder);
  symcached_module* const module = path.empty() ? nullptr : open_file(path);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return module;
}

/// @return the path of the debug file; empty if there is none
std::string SymcacheShelf::fetch(const std::string& servers, const std::string& token, const std::string& build_id,
                                 const std::string& folder) const {
  if (servers.empty()) return {};
  std::string path(4096, '\0');
  int status = SYMCACHED_FETCH_FAILED;
  if (token.empty() && functions_.fetch_debug_file != nullptr) {
    status = functions_.fetch_debug_file(servers.c_str(), build_id.c_str(), folder.c_str(), kFetchTimeoutMs,
                                         path.data(), path.size(), nullptr, 0);
  } else if (!token.empty() && functions_.fetch_debug_file_with != nullptr) {
    symcached_fetch_options how{};
    how.struct_size = sizeof(how);
    how.bearer_token = token.c_str();
    how.timeout_ms = kFetchTimeoutMs;
    status = functions_.fetch_debug_file_with(servers.c_str(), build_id.c_str(), folder.c_str(), &how, path.data(),
                                              path.size(), nullptr, 0);
  }
  return status == SYMCACHED_FETCHED ? path.c_str() : "";
}

symcached_module* SymcacheShelf::open_kept(const std::string& build_id) const {
  if (build_id.empty() || options_.cache_folder.empty()) return nullptr;
  const std::string path = options_.cache_folder + "/" + build_id + ".symcache";
  struct stat status{};
  const bool is_ours = ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid();
  return is_ours ? functions_.open(path.c_str(), nullptr, nullptr, 0) : nullptr;
}

symcached_module* SymcacheShelf::open_file(const std::string& path) const {
  std::vector<const char*> folders;
  for (const std::string& folder : options_.debug_folders) folders.push_back(folder.c_str());
  symcached_open_options how{};
  how.struct_size = sizeof(how);
  how.debug_directories = folders.data();
  how.debug_directory_count = folders.size();
  how.threads = 1;
  how.max_unpacked = options_.max_unpacked;
  return functions_.open(path.c_str(), &how, nullptr, 0);
}

void SymcacheShelf::keep(const symcached_module* module, const std::string& build_id) const {
  // One that a debug file is missing for may be better next time.
  if (build_id.empty() || options_.cache_folder.empty() || functions_.warning(module, 0) != nullptr) return;
  std::size_t size = 0;
  const void* const bytes = functions_.cache(module, &size);
  std::error_code failed;
  std::filesystem::create_directories(options_.cache_folder, failed);
  if (failed || size > kMaxKept) return;
  const std::string path = options_.cache_folder + "/" + build_id + ".symcache";
  std::string unfinished = path + ".XXXXXX";
  const Descriptor file(::mkostemp(unfinished.data(), O_CLOEXEC));
  if (!file) return;
  if (!write_all(file.get(), bytes, size) || std::rename(unfinished.c_str(), path.c_str()) != 0)
    ::unlink(unfinished.c_str());
}

bool SymcacheShelf::wait_until_idle(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return idle_.wait_for(lock, limit, [&] { return !is_working_; });
}

void SymcacheShelf::stop() {
  const std::lock_guard lock(mutex_);
  is_stopped_ = true;
}

}  // namespace symcached::pprof
