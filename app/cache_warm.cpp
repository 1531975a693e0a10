#include "app/cache_warm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/progress.hpp"
#include "app/warm_inputs.hpp"
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

std::string_view name_of(Kind kind) { return kKinds.at(static_cast<std::size_t>(kind)); }
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
  put("outcome", name_of(outcome.kind));
  put("debug_file", m.debug_file);
  put("debug_id", m.debug_id ? m.debug_id->dashed() : std::string());
  put("code_file", m.code_file);
  put("code_id", m.code_id);
  put("error", outcome.why);
  return boost::json::serialize(out);
}

constexpr const char* kFooter = R"(FILE may be a list of modules (docs/module-lists.md has the dialects: name and
id, perf buildid-list, xperf -a symcache, JSON), a debug file or program, or a
directory of those; - is standard input.

Examples:
  perf buildid-list | symcached cache warm -
  symcached cache warm C:/builds/1234 modules.json

Exit status:
  0  all modules are in the cache
  1  some are not; they are listed
  2  wrong usage

Environment:
  XDG_CACHE_HOME, HOME  default of --cache-dir)";

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
  std::array<std::atomic<std::size_t>, kKinds.size()> counts{};
  {
    Progress progress(fmt::format("warming {} modules", modules.size()));
    std::atomic<std::size_t> next = 0, done = 0;
    run_on_threads(std::min<std::size_t>(options.threads, modules.size()), [&](std::size_t) {
      for (std::size_t i = next++; i < modules.size(); i = next++) {
        const WarmOutcome outcome = warm_one(modules[i]);
        ++counts.at(static_cast<std::size_t>(outcome.kind));
        progress.at(++done, modules.size());
        if (options.json) progress.print(to_json(modules[i], outcome));
        else if (!is_there(outcome.kind))
          progress.print(fmt::format("{}: {}: {}", name_of(outcome.kind), shown(modules[i]), escaped(outcome.why)));
      }
    });
  }
  const auto count = [&](Kind kind) { return counts.at(static_cast<std::size_t>(kind)).load(); };
  if (!options.json)
    fmt::print("{} modules: {} were there, {} made, {} missing, {} failed\n", modules.size(), count(Kind::there),
               count(Kind::made), count(Kind::missing), count(Kind::failed));
  return count(Kind::missing) + count(Kind::failed) == 0 && inputs.errors.empty() ? kDone : kCouldNot;
}

}  // namespace symcached::app
