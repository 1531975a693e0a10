/// symcached_fetch_debug_file() and symcached_fetch_debug_file_with() of symcached.h over fetch/.
#include <symcached/symcached.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/hex.hpp"
#include "client/symcache_client.hpp"
#include "fetch/file_fetcher.hpp"
#include "library/fetched.hpp"
#include "sources/module_ids.hpp"

namespace fetch = symcached::fetch;

namespace {

using symcached::library::Fetched;

constexpr symcached::store::CacheKind kFiles{"objects", 1};  // of a store that is gone when the call ends

/// What stands between blanks.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  constexpr std::string_view kBlanks = " \t\n";
  for (std::size_t at = 0; (at = text.find_first_not_of(kBlanks, at)) != text.npos;) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (!word.starts_with("ima:")) out.emplace_back(word);  // debuginfod's word for what is to be verified
    at = end;
  }
  return out;
}

Fetched keep(const fetch::Original& original, const std::filesystem::path& path) {
  const auto mapped = original.map();
  if (!mapped) return {SYMCACHED_FETCH_FAILED, mapped.error()};
  const std::string_view bytes = symcached::as_text(original.bytes_in(*mapped));
  std::string unfinished = path.string() + ".XXXXXX";
  const int file = ::mkstemp(unfinished.data());
  if (file < 0) return {SYMCACHED_FETCH_FAILED, "cannot write to the directory"};
  ::close(file);
  std::ofstream out(unfinished, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  std::error_code failed;
  if (out) std::filesystem::rename(unfinished, path, failed);
  if (out && !failed) return {SYMCACHED_FETCHED, path.string()};
  std::filesystem::remove(unfinished, failed);
  return {SYMCACHED_FETCH_FAILED, "cannot write the file: the disk may be full"};
}

Fetched fetch_debug_file(const char* sources, const std::string& build_id, const char* directory,
                         const symcached_fetch_options& how) {
  if (build_id.empty() || build_id.size() > symcached::sources::kMaxCodeId || !symcached::is_lower_hex(build_id))
    return {SYMCACHED_FETCH_FAILED, "the build id is not in lower-case hex digits"};
  const std::filesystem::path path = std::filesystem::path(directory) / (build_id + ".debug");
  if (std::filesystem::exists(path)) return {SYMCACHED_FETCHED, path.string()};
  std::filesystem::create_directories(directory);
  fetch::FetcherOptions options{.symbols = words_of(sources),
                                .login = symcached::library::login_of(how),
                                .objects = kFiles,
                                .user_agent = "libsymcached/" SYMCACHED_VERSION};
  options.debuginfod_first = true;
  options.limits = symcached::client::usual_limits();
  options.limits.total_ms = static_cast<long>(symcached::library::timeout_of(how).count());
  const auto fetcher = fetch::FileFetcher::open(std::move(options));
  if (!fetcher) return {SYMCACHED_FETCH_FAILED, fetcher.error()};
  const auto original = (*fetcher)->fetch(symcached::sources::FileType::elf_debug, {.code_id = build_id});
  if (original) return keep(*original, path);
  const bool is_absent = original.error().kind == fetch::NotFetched::Kind::absent;
  return {is_absent ? SYMCACHED_NOT_THERE : SYMCACHED_FETCH_FAILED, original.error().why};
}

}  // namespace

int symcached_fetch_debug_file_with(const char* sources, const char* build_id, const char* directory,
                                    const symcached_fetch_options* options, char* path, std::size_t path_size,
                                    char* error, std::size_t error_size) {
  return symcached::library::tell_fetched("the debug file", {path, path_size, error, error_size}, [&] {
    return fetch_debug_file(sources, build_id, directory, symcached::whole(options));
  });
}

int symcached_fetch_debug_file(const char* sources, const char* build_id, const char* directory,
                               std::uint32_t timeout_ms, char* path, std::size_t path_size, char* error,
                               std::size_t error_size) {
  symcached_fetch_options options{};
  options.struct_size = sizeof(options);
  options.timeout_ms = timeout_ms;
  return symcached_fetch_debug_file_with(sources, build_id, directory, &options, path, path_size, error, error_size);
}
