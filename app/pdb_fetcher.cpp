#include "app/pdb_fetcher.hpp"

#include <memory>

namespace symcached::app {
namespace {

sources::ModuleIds ids_of(const pe::DebugFiles& assembly) {
  const pe::CodeView& view = *assembly.portable();
  sources::ModuleIds ids{.debug_file = std::string(view.debug_file), .debug_id = view.debug_id()};
  for (const pe::PdbChecksum& sum : assembly.checksums)
    ids.checksums.push_back({std::string(sum.algorithm), {sum.digest.begin(), sum.digest.end()}});
  return ids;
}

class PdbFetcher {
 public:
  explicit PdbFetcher(fetch::FetcherOptions servers) : servers_(std::move(servers)) {}

  std::expected<void, std::string> open() {
    if (fetcher_) return {};
    auto opened = fetch::FileFetcher::open(servers_);
    if (!opened) return std::unexpected(std::move(opened.error()));
    fetcher_ = *std::move(opened);
    return {};
  }

  std::expected<symbolize::FetchedPdb, std::string> fetch(const pe::DebugFiles& assembly) {
    if (auto ready = open(); !ready) return std::unexpected(std::move(ready.error()));
    const auto original = fetcher_->fetch(sources::FileType::portable_pdb, ids_of(assembly));
    if (!original) return std::unexpected(original.error().why);
    auto mapped = original->map();
    if (!mapped) return std::unexpected(std::move(mapped.error()));
    symbolize::FetchedPdb fetched{*std::move(mapped), {}};
    fetched.pdb = original->bytes_in(fetched.mapped);
    return fetched;
  }

 private:
  fetch::FetcherOptions servers_;
  std::unique_ptr<fetch::FileFetcher> fetcher_;
};

}  // namespace

std::expected<symbolize::FetchPdb, std::string> fetch_pdb_from(fetch::FetcherOptions servers, bool open_now) {
  auto fetcher = std::make_shared<PdbFetcher>(std::move(servers));
  if (open_now)
    if (auto ready = fetcher->open(); !ready) return std::unexpected(std::move(ready.error()));
  return [fetcher](const pe::DebugFiles& assembly) { return fetcher->fetch(assembly); };
}

}  // namespace symcached::app
