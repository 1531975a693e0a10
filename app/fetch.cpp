#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/pdb_key.hpp"
#include "app/process.hpp"
#include "app/progress.hpp"
#include "app/user_agent.hpp"
#include "app/warm_inputs.hpp"
#include "base/utf8.hpp"
#include "client/symcache_client.hpp"
#include "net/run_task.hpp"
#include "wpt/choice.hpp"
#include "wpt/path.hpp"

namespace symcached::app {
namespace {

using client::Kept;
using client::NotKept;
using client::Outcome;
using client::SymcacheKey;

constexpr std::string_view kCommand = "fetch";
constexpr const char* kPathVariable = "_NT_SYMCACHE_PATH";
constexpr unsigned kMaxAtOnce = 64;

struct Options {
  std::vector<std::string> words;  ///< [URL] PDBNAME PDBID [AGE]
  std::string modules;             ///< a list instead of one PDB
  std::string directory;
  std::string version;
  std::vector<std::string> headers;
  std::string user;
  bool negotiate = false, no_negotiate = false, quiet = false;
  std::uint64_t timeout_ms = 60'000, wait_ms = 600'000;
  unsigned at_once = 16;
};

/// What the command line says, checked.
struct Job {
  client::ClientOptions client;
  std::vector<SymcacheKey> keys;
  bool has_faults = false;  ///< parts of a module list could not be used
};
template <class T>
using Usage = std::expected<T, std::string>;

Usage<std::optional<wpt::Version>> version_of(const Options& options) {
  if (options.version.empty()) return std::nullopt;
  const auto version = wpt::Version::parse(options.version);
  if (version && *version >= wpt::kOpenMinimum) return version;
  return std::unexpected(fmt::format("--version: \"{}\" is no version from 2.1.0 on", options.version));
}

Usage<client::ServerPlace> server_of(const std::string& url, const Options& options) {
  client::ServerPlace place{{.url = url, .negotiate = options.negotiate}, client::usual_version(url)};
  place.http.negotiate_if_asked = !options.no_negotiate;
  for (const std::string& text : options.headers) {
    auto header = parse_header(text);
    if (!header) return std::unexpected("--header: write \"Name: value\"");
    place.http.headers.push_back({std::move(header->first), std::move(header->second)});
  }
  const std::size_t colon = options.user.find(':');
  if (!options.user.empty() && colon == options.user.npos) return std::unexpected("--user: write NAME:PASSWORD");
  if (!options.user.empty()) {
    place.http.user = options.user.substr(0, colon);
    place.http.password = options.user.substr(colon + 1);
  }
  place.network.head_timeout = place.network.connect_timeout = std::chrono::milliseconds(options.timeout_ms);
  return place;
}

/// Modules whose PDB is not known by name and id are left out.
void add_modules(const std::string& file, Job& job) {
  const WarmInputs inputs = read_warm_inputs({file});
  for (const std::string& warning : inputs.warnings) complain(kCommand, "warning: " + warning);
  for (const std::string& error : inputs.errors) complain(kCommand, error);
  job.has_faults = !inputs.errors.empty();
  for (const sources::ModuleIds& module : inputs.modules) {
    if (module.debug_id && !module.debug_name().empty())
      job.keys.push_back({std::string(module.debug_name()), *module.debug_id});
    else
      complain(kCommand, fmt::format("warning: {}: left out, as its PDB's name or id is not known",
                                     module.code_file.empty() ? module.code_id : module.code_file));
  }
}

/// What the next server behind a folder is asked for, otherwise the last one before it.
wpt::Version version_for(const std::vector<wpt::Alternate>& all, std::size_t folder) {
  const auto is_server = [](const wpt::Alternate& a) { return a.is_server; };
  const auto here = all.begin() + static_cast<std::ptrdiff_t>(folder);
  if (const auto next = std::find_if(here, all.end(), is_server); next != all.end())
    return client::usual_version(next->place);
  const auto last = std::find_if(std::reverse_iterator(here), all.rend(), is_server);
  return client::usual_version(last == all.rend() ? "" : last->place);
}

Usage<client::Place> place_of(const std::vector<wpt::Alternate>& all, std::size_t index, const Options& options) {
  const wpt::Alternate& alternate = all[index];
  auto version = version_of(options);
  if (!version) return std::unexpected(std::move(version.error()));
  if (!alternate.is_server) {
    const wpt::Version wanted = version->value_or(version_for(all, index));
    return client::Place{client::FolderPlace{alternate.place, wanted}, alternate.kept_in};
  }
  auto server = server_of(alternate.place, options);
  if (!server) return std::unexpected(std::move(server.error()));
  server->version = version->value_or(server->version);
  return client::Place{std::move(*server), alternate.kept_in};
}

/// Directory, servers and folders, from the options and the environment.
Usage<void> choose_places(const std::string& url, const Options& options, Job& job) {
  const char* const variable = std::getenv(kPathVariable);
  wpt::SymcachePath path;
  const bool is_asked = url.empty() || options.directory.empty();
  if (variable != nullptr && is_asked) path = wpt::parse_symcache_path(variable);
  for (const std::string& warning : path.warnings)
    complain(kCommand, fmt::format("warning: {}: {}", kPathVariable, warning));
  job.client.directory = options.directory.empty() ? path.directory : options.directory;
  if (job.client.directory.empty())
    return std::unexpected(fmt::format("no directory to keep symcaches in: give -o, or set {}", kPathVariable));
  if (!url.empty()) path.alternates = {{url, true}};
  if (path.alternates.empty())
    return std::unexpected(fmt::format("no server to ask: give a URL, or set {}", kPathVariable));
  for (std::size_t i = 0; i < path.alternates.size(); ++i) {
    auto place = place_of(path.alternates, i, options);
    if (!place) return std::unexpected(std::move(place.error()));
    job.client.places.push_back(std::move(*place));
  }
  return {};
}

Usage<Job> job_of(const Options& options) {
  std::vector<std::string> words = options.words;
  std::string url;
  if (!words.empty() && words.front().find("://") != std::string::npos) {
    url = words.front();
    words.erase(words.begin());
  }
  const bool is_list = !options.modules.empty();
  if (is_list && !words.empty()) return std::unexpected("give either --modules or a PDB, not both");
  if (!is_list && (words.size() < 2 || words.size() > 3))
    return std::unexpected("give [URL] PDBNAME PDBID [AGE], or --modules FILE");
  Job job;
  job.client.patience = std::chrono::milliseconds(options.wait_ms);
  job.client.user_agent = kUserAgent;
  if (const auto ok = choose_places(url, options, job); !ok) return std::unexpected(ok.error());
  if (is_list) {
    add_modules(options.modules, job);
    return job;
  }
  auto key = pdb_key_of(words[0], words[1], words.size() == 3 ? &words[2] : nullptr);
  if (!key) return std::unexpected(std::move(key.error()));
  job.keys.push_back(std::move(*key));
  return job;
}

std::string shown(const SymcacheKey& key) { return escaped(fmt::format("{} {}", key.pdb_name, key.id.breakpad())); }

/// @param progress  none: only what failed is told
/// @return whether it is there
bool tell(const SymcacheKey& key, const Outcome& outcome, std::optional<Progress>& progress) {
  if (const auto* kept = std::get_if<Kept>(&outcome)) {
    if (!progress) return true;
    if (!kept->warning.empty()) complain(kCommand, fmt::format("warning: {}: {}", shown(key), kept->warning));
    progress->print(kept->path.string());
    return true;
  }
  const auto* why = std::get_if<NotKept>(&outcome);
  complain(kCommand, fmt::format("{}: {}", shown(key), why == nullptr ? "no server has it, or can make it" : why->why));
  return false;
}

int fetch_one(client::SymcacheClient& client, const SymcacheKey& key, const Options& options) {
  std::optional<Progress> progress;
  if (!options.quiet) progress.emplace("fetching " + shown(key));
  const client::Watch watch{.receiving = [&](std::uint64_t done, std::uint64_t total) {
    if (progress) progress->at(done, total);
  }};
  return tell(key, run_task(client.fetch(key, watch)), progress) ? kDone : kCouldNot;
}

int fetch_many(client::SymcacheClient& client, const Job& job, const Options& options) {
  std::atomic<std::size_t> done = 0, missing = 0;
  {
    std::optional<Progress> progress;
    if (!options.quiet) progress.emplace(fmt::format("fetching {} symcaches", job.keys.size()));
    client.fetch_all(job.keys, options.at_once, [&](const SymcacheKey& key, const Outcome& outcome) {
      missing += tell(key, outcome, progress) ? 0 : 1;
      ++done;
      if (progress) progress->at(done, job.keys.size());
    });
  }
  return missing == 0 && !job.has_faults ? kDone : kCouldNot;
}

int run(const Options& options) {
  ignore_write_signals();
  auto job = job_of(options);
  if (!job) {
    complain(kCommand, job.error());
    return kWrongUsage;
  }
  auto client = client::SymcacheClient::open(std::move(job->client));
  if (!client) {
    complain(kCommand, client.error());
    return kCouldNot;
  }
  for (const std::string& warning : (*client)->warnings()) complain(kCommand, "warning: " + warning);
  return options.modules.empty() ? fetch_one(**client, job->keys.front(), options)
                                 : fetch_many(**client, *job, options);
}

constexpr const char* kFooter = R"(URL is what is before /v3.1.0 in the server's paths: http://host, or
https://host/open for the open format. Symcaches are kept as WPA keeps them,
DIR/app.pdb/GUIDAGE/app.pdb-v3.1.0.symcache, and their paths printed. What is in
DIR already is fetched again only if the server has a newer version.

Without URL, the servers and folders of _NT_SYMCACHE_PATH are asked in turn.
What one of them has is copied into the caches left of it: in A*B*URL those are
A and B, in cache*A;...;URL it is A.

Examples:
  symcached fetch https://symcache.example.com app.pdb \
      3249D99D-0C40-4931-8610-F4E4FB0B6936 26 -o symcaches
  _NT_SYMCACHE_PATH="$HOME/symcaches*https://symcache.example.com" \
      symcached fetch --modules modules.txt

Exit status:
  0  fetched, or there already
  1  not there, or a failure; stderr says which
  2  wrong usage

Environment:
  _NT_SYMCACHE_PATH     directory, then servers and folders: DIR*URL,
                        DIR;srv*CACHE*URL;cache*CACHE;FOLDER;URL...
  http_proxy, https_proxy, all_proxy, no_proxy
                        proxies)";

}  // namespace

void add_fetch(CLI::App& app, int& status) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand("fetch", "Get symcaches from a SymCache server");
  command->add_option("PDB", options->words,
                      "[URL] PDBNAME PDBID [AGE]: GUID and decimal age [default: 1], or both in one");
  command->add_option("--modules", options->modules, "list of modules instead; - for stdin")->type_name("FILE");
  command
      ->add_option("-o,--output-dir,--output", options->directory,
                   "directory that keeps them, created if missing [default: the one in _NT_SYMCACHE_PATH]")
      ->type_name("DIR");
  command
      ->add_option("--version", options->version,
                   "highest version to take [default: 2.1.0 where URL ends in /open, else 3.1.0]")
      ->type_name("A.B.C");
  command
      ->add_option("--header", options->headers,
                   "sent with each request, such as \"Authorization: Bearer TOKEN\"; repeatable")
      ->type_name("LINE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--user", options->user, "for servers that want a password")->type_name("NAME:PASSWORD");
  CLI::Option* const at_once = command->add_flag("--negotiate", options->negotiate,
                                                 "send a ticket of Kerberos at once, not only when it is asked for");
  command->add_flag("--no-negotiate", options->no_negotiate, "send no ticket even if the server asks for one")
      ->excludes(at_once);
  command->add_option("--timeout", options->timeout_ms, "wait so long for a server's answer [default: 60s]")
      ->type_name("TIME")
      ->transform(duration());
  command->add_option("--wait", options->wait_ms, "wait so long for a symcache that is being made [default: 10m]")
      ->type_name("TIME")
      ->transform(duration());
  command->add_option("-j,--threads", options->at_once, "symcaches at once")
      ->type_name("N")
      ->capture_default_str()
      ->check(number_from(1, kMaxAtOnce));
  command->add_flag("-q,--quiet", options->quiet, "print nothing but errors");
  command->footer(kFooter);
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace symcached::app
