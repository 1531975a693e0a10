#include "app/cache_warm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <memory>

#include "app/backend.hpp"
#include "app/cache_entries.hpp"
#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/process.hpp"
#include "app/progress.hpp"
#include "app/serve_options.hpp"
#include "app/warm_inputs.hpp"
#include "app/warmer.hpp"
#include "base/path_text.hpp"
#include "base/threads.hpp"
#include "base/utf8.hpp"

namespace symcached::app {
namespace {

using Kind = WarmOutcome::Kind;
using sources::ModuleIds;

constexpr std::string_view kCommand = "cache warm";
constexpr std::array<std::string_view, 4> kKinds{"there", "made", "missing", "failed"};
constexpr unsigned kMaxThreads = 64;
constexpr std::size_t kQualities = static_cast<std::size_t>(store::Quality::lines) + 1;

std::string_view text_of(Kind kind) { return kKinds.at(static_cast<std::size_t>(kind)); }
bool is_there(Kind kind) { return kind == Kind::there || kind == Kind::made; }

/// "crash.pdb 3249D99D0C4049318610F4E4FB0B69361a", a line that a list may have again.
std::string shown(const ModuleIds& m) {
  std::string text(last_path_part(m.debug_file.empty() ? m.code_file : m.debug_file));
  if (m.debug_id) text += ' ' + m.debug_id->breakpad();
  if (!m.code_id.empty()) text += ' ' + m.code_id;
  return escaped(text);
}

std::string to_json(const ModuleIds& m, const WarmOutcome& outcome) {
  boost::json::object out;
  const auto put = [&](const char* key, std::string_view value) {
    if (!value.empty()) out[key] = valid_utf8(value);
  };
  put("outcome", text_of(outcome.kind));
  put("debug_file", m.debug_file);
  put("debug_id", m.debug_id ? m.debug_id->dashed() : std::string());
  put("code_file", m.code_file);
  put("code_id", m.code_id);
  if (is_there(outcome.kind)) put("quality", name_of(outcome.quality));
  put("error", outcome.why);
  return boost::json::serialize(out);
}

/// For people.
class Totals {
 public:
  void add(const WarmOutcome& outcome) {
    ++kinds_.at(static_cast<std::size_t>(outcome.kind));
    if (is_there(outcome.kind)) ++qualities_.at(static_cast<std::size_t>(outcome.quality));
  }
  bool all_there() const { return count(Kind::missing) + count(Kind::failed) == 0; }
  void print(std::size_t modules) const {
    fmt::print("{} {}: {} already there, {} made, {} missing, {} failed\n", modules,
               modules == 1 ? "module" : "modules", count(Kind::there), count(Kind::made), count(Kind::missing),
               count(Kind::failed));
    std::string qualities;
    for (std::size_t i = qualities_.size(); i-- != 0;)
      if (qualities_[i] != 0)
        qualities += fmt::format("{}{} {}", qualities.empty() ? "" : ", ", qualities_[i].load(),
                                 name_of(static_cast<store::Quality>(i)));
    if (!qualities.empty()) fmt::print("in the cache by quality: {}\n", qualities);
  }

 private:
  std::size_t count(Kind kind) const { return kinds_.at(static_cast<std::size_t>(kind)); }

  std::array<std::atomic<std::size_t>, kKinds.size()> kinds_{};
  std::array<std::atomic<std::size_t>, kQualities> qualities_{};
};

/// Puts modules into the cache by the service that answers requests for them.
int run(const ServeOptions& options, const WarmOptions& what) {
  ignore_write_signals();
  const std::size_t max_files = raise_descriptor_limit();
  const config::Loaded loaded = load_config(options);
  for (const std::string& line : config::error_lines(loaded.report, options.config_file)) complain(kCommand, line);
  if (!loaded.report.errors().empty()) return kCouldNot;
  if (loaded.config.sources.empty()) {
    complain(kCommand, "no sources to get debug files from; give --symbols, --debuginfod or --config");
    return kCouldNot;
  }
  const Log log = [](Severity severity, const std::string& line) {  // the rest is in the outcomes
    if (severity == Severity::error) complain(kCommand, line);
  };
  const auto backend = Backend::open(loaded.config, {.max_files = max_files, .keeps_work = false}, log);
  if (!backend) {
    complain(kCommand, backend.error());
    return kCouldNot;
  }
  Warmer warmer((*backend)->service());
  return warm(what, [&warmer](const ModuleIds& module) { return warmer.warm(module); });
}

constexpr const char* kFooter = R"(FILE may be a list of modules (docs/module-lists.md has the dialects: name and
id, perf buildid-list, xperf -a symcache, JSON), a debug file or program, or a
directory of those; - is standard input.

Examples:
  symcached cache warm -c /etc/symcached.yml modules.txt
  symcached cache warm --symbols /srv/symbols builds/1234 modules.json
  perf buildid-list | symcached cache warm --debuginfod "$DEBUGINFOD_URLS" -

Exit status:
  0  all modules are in the cache
  1  some are not; they are listed
  2  wrong usage

Environment:
  XDG_CACHE_HOME, HOME  default of --cache-dir
  http_proxy, https_proxy, all_proxy, no_proxy
                        proxies for symbol servers)";

}  // namespace

void add_warm_options(CLI::App& command, WarmOptions& options) {
  command.add_option("FILE", options.inputs, "list of modules, debug file, program, or directory; - for stdin")
      ->required();
  command.add_option("-j,--threads", options.threads, "modules at once")
      ->type_name("N")
      ->capture_default_str()
      ->check(number_from(1, kMaxThreads));
  command.add_flag("--json", options.json, "print a JSON object per module and line");
  command.footer(kFooter);
}

int warm(const WarmOptions& options, const WarmOne& warm_one) {
  const WarmInputs inputs = read_warm_inputs(options.inputs);
  for (const std::string& warning : inputs.warnings) complain(kCommand, "warning: " + warning);
  for (const std::string& error : inputs.errors) complain(kCommand, error);
  const auto& modules = inputs.modules;
  Totals totals;
  {
    Progress progress(fmt::format("warming {} modules", modules.size()));
    progress.at(0, modules.size());
    std::atomic<std::size_t> next = 0, done = 0;
    run_on_threads(std::min<std::size_t>(options.threads, modules.size()), [&](std::size_t) {
      for (std::size_t i = next++; i < modules.size(); i = next++) {
        const WarmOutcome outcome = warm_one(modules[i]);
        totals.add(outcome);
        progress.at(++done, modules.size());
        if (options.json) progress.print(to_json(modules[i], outcome));
        else if (!is_there(outcome.kind))
          progress.print(fmt::format("{}: {}: {}", text_of(outcome.kind), shown(modules[i]), escaped(outcome.why)));
      }
    });
  }
  if (!options.json) totals.print(modules.size());
  return totals.all_there() && inputs.errors.empty() ? kDone : kCouldNot;
}

void add_cache_warm(CLI::App& cache, int& status) {
  CLI::App* const command = cache.add_subcommand("warm", "Fetch and convert ahead of time what modules need");
  const auto options = std::make_shared<WarmOptions>();
  const auto serve_options = std::make_shared<ServeOptions>();
  add_warm_options(*command, *options);
  add_source_options(*command, *serve_options);
  command->callback([options, serve_options, &status] { status = run(*serve_options, *options); });
}

}  // namespace symcached::app
