#include "profiling/naming/library_naming.hpp"

#include <cstdlib>
#include <unordered_map>
#include <utility>

#include "profiling/naming/symbol_naming.hpp"
#include "profiling/naming/symcache_shelf.hpp"

namespace symcached::pprof {
namespace {

constexpr std::chrono::milliseconds kPatienceAtTheEnd{1000};

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string text(const symcached_text& from) { return {from.data, from.size}; }

/// Asks the symcaches for the addresses of one call.
class Questions {
 public:
  explicit Questions(NamingOptions options) : options_(options) {}
  Questions(const Questions&) = delete;
  Questions& operator=(const Questions&) = delete;
  ~Questions() {
    if (answer_ != nullptr) functions_.answer_free(answer_);
  }

  /// Empty if it does not know.
  std::vector<NamedFrame> ask(const OpenSymcache& symcache, std::uint64_t rva) {
    const std::uint32_t flags = SYMCACHED_LINKAGE_NAMES | SYMCACHED_NO_DEMANGLE;
    const auto frames = look_up(symcache, rva, options_.inlines ? flags : flags | SYMCACHED_NO_INLINES);
    std::vector<NamedFrame> out;
    for (const symcached_frame& frame : frames) {
      if (frame.function.size == 0) return {};
      out.push_back({.function = text(frame.function)});
      if (!options_.lines) continue;
      out.back().file = text(frame.file);
      out.back().line = frame.line;
    }
    // Last, as the frames are gone when the next question is asked.
    if (options_.lines && !frames.empty())
      out.back().start_line = line_at(symcache, std::uint64_t{frames.back().function_start});
    return out;
  }

 private:
  std::span<const symcached_frame> look_up(const OpenSymcache& symcache, std::uint64_t rva, std::uint32_t flags) {
    if (answer_ == nullptr) {
      functions_ = symcache.functions();
      answer_ = functions_.answer_new();
    }
    const int count = answer_ == nullptr ? 0 : functions_.lookup(symcache.module(), rva, flags, answer_);
    if (count <= 0) return {};
    return {functions_.frames(answer_), static_cast<std::size_t>(count)};
  }
  std::uint32_t line_at(const OpenSymcache& symcache, std::uint64_t function_start) {
    const auto [at, is_new] = start_lines_[&symcache].emplace(function_start, 0);
    if (!is_new) return at->second;
    const auto frames = look_up(symcache, function_start, SYMCACHED_NO_NAMES | SYMCACHED_NO_INLINES);
    return at->second = frames.empty() ? 0 : frames.back().line;
  }

  NamingOptions options_;
  LibraryFunctions functions_;
  symcached_answer* answer_ = nullptr;
  std::unordered_map<const OpenSymcache*, std::unordered_map<std::uint64_t, std::uint32_t>> start_lines_;
};

}  // namespace

std::string LibraryNamingOptions::usual_cache_folder() {
  const char* const home = std::getenv("XDG_CACHE_HOME");
  return home == nullptr || home[0] != '/' ? std::string() : std::string(home) + "/symcached/pprof";
}

std::string LibraryNamingOptions::usual_servers() { return variable("SYMCACHED_PPROF_SERVER"); }
std::string LibraryNamingOptions::usual_token() { return variable("SYMCACHED_PPROF_SERVER_TOKEN"); }
std::string LibraryNamingOptions::usual_sources() { return variable("DEBUGINFOD_URLS"); }

LibraryNaming::LibraryNaming(std::unique_ptr<Naming> fallback, LibraryNamingOptions options)
    : fallback_(std::move(fallback)),
      modules_(options.modules),
      shelf_(std::make_shared<SymcacheShelf>(std::move(options))) {}

LibraryNaming::~LibraryNaming() {
  shelf_->stop();
  shelf_->wait_until_idle(kPatienceAtTheEnd);
}

std::vector<std::vector<NamedFrame>> LibraryNaming::name(std::span<const std::uintptr_t> addresses,
                                                         NamingOptions options) {
  const Places places = places_of(addresses, modules_);
  std::unordered_map<const CodeMapping*, std::shared_ptr<const OpenSymcache>> symcaches;
  for (const CodeMapping* mapping : places.of)
    if (mapping != nullptr && !symcaches.contains(mapping)) symcaches.emplace(mapping, shelf_->get(*mapping));

  Questions questions(options);
  std::vector<std::vector<NamedFrame>> out(addresses.size());
  std::vector<std::uintptr_t> others;
  std::vector<std::size_t> their_places;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const CodeMapping* const mapping = places.of[i];
    const OpenSymcache* const symcache = mapping == nullptr ? nullptr : symcaches.at(mapping).get();
    const auto rva = symcache == nullptr ? std::nullopt : symcache->rva_of(*mapping, addresses[i]);
    if (rva) out[i] = questions.ask(*symcache, *rva);
    if (!out[i].empty()) continue;
    others.push_back(addresses[i]);
    their_places.push_back(i);
  }
  if (others.empty()) return out;
  std::vector<std::vector<NamedFrame>> answers = fallback_->name(others, options);
  for (std::size_t i = 0; i < answers.size(); ++i) out[their_places[i]] = std::move(answers[i]);
  return out;
}

bool LibraryNaming::wait_until_idle(std::chrono::milliseconds limit) { return shelf_->wait_until_idle(limit); }

std::unique_ptr<Naming> usual_naming() { return library_naming(symbol_table_naming()); }

std::unique_ptr<Naming> library_naming(std::unique_ptr<Naming> fallback, LibraryNamingOptions options) {
  return std::make_unique<LibraryNaming>(std::move(fallback), std::move(options));
}

}  // namespace symcached::pprof
