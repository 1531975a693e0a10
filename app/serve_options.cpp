#include "app/serve_options.hpp"

#include <algorithm>

#include "app/cache_place.hpp"
#include "app/command_line.hpp"
#include "fetch/source.hpp"
#include "sources/symbol_path.hpp"

namespace symcached::app {
namespace {

constexpr const char* kFooter = R"(Answers GET /open/v2.1.0/NAME/GUID/AGE with the symcache of a PDB, converted on
the first request and then cached; GET / says more. Microsoft's symcaches, at
/v3.1.0/NAME/GUID/AGE, TLS and authentication take a configuration file; without
it, keep the server on a trusted network. SIGTERM and SIGINT complete open
responses, then end it; SIGHUP reads the file again.

Examples:
  symcached serve --symbols /srv/symbols
  symcached serve --config /etc/symcached.yml
  symcached serve --bind 0.0.0.0:3021 --cache-dir /var/cache/symcached \
      --symbols https://msdl.microsoft.com/download/symbols

Exit status:
  0  ended by a signal, all responses completed
  1  cannot start, or responses were cut off
  2  wrong usage

Environment:
  XDG_CACHE_HOME, HOME  default of --cache-dir
  http_proxy, https_proxy, all_proxy, no_proxy
                        proxies for symbol servers
  SymCacheDirectory, SymbolServer, TranscoderPath, TranscoderVersion
                        as Microsoft's sample server has them, unless the file
                        or an option says otherwise)";

/// An option that overrides a key of the configuration, whose checks and default it has.
struct OptionRow {
  const char* name;
  std::string_view key;
  const char* value;  ///< for help
  const char* group;
  const char* help;
  std::string_view unit = {};  ///< of a plain number
};

constexpr const char* kGeneral = "Options";
constexpr const char* kLimits = "Limits";
constexpr OptionRow kOptions[] = {
    {"--bind", "bind", "ADDRESS:PORT", kGeneral, "address to listen on; port 0 takes any free one"},
    {"--admin-bind", "admin_bind", "ADDRESS:PORT", kGeneral,
     "address of the listener for /metrics and /readyz; \"\": none"},
    {"--record", "logging.record", "FILE", kGeneral,
     "append a line for each request, without names, ids and secrets, to FILE"},
    {"--max-connections", "limits.max_connections", "N", kLimits,
     "connections at once; 0: as many as the open-file limit allows"},
    {"--max-connections-per-address", "limits.max_connections_per_address", "N", kLimits,
     "connections at once from one client address; 0: half of --max-connections"},
    {"--max-in-flight", "limits.max_in_flight", "N", kLimits,
     "requests being answered at once; 0: three quarters of --max-connections"},
    {"--max-held", "limits.max_held", "N", kLimits, "requests waiting for a conversion at once"},
    {"--max-queued", "limits.max_queued", "N", kLimits, "files being fetched or converted, or queued for it"},
    {"--grace", "limits.grace", "TIME", kLimits,
     "for open responses to complete after SIGTERM or SIGINT before they are cut off; a plain number: seconds"},
    {"--workers", "workers.processes", "N", kLimits,
     "worker processes that read debug files, up to 256; 0: one per CPU"},
    {"--worker-jobs", "workers.jobs_per_process", "N", kLimits, "files a worker process reads before it is replaced"},
    {"--worker-memory", "workers.memory", "SIZE", kLimits,
     "address space for a conversion, plus 8 bytes per byte of its file; a plain number: MiB", "MiB"},
    {"--worker-seconds", "workers.cpu_time", "TIME", kLimits,
     "CPU time for a conversion, plus a second per 2 MiB of its file; a plain number: seconds"},
};

std::string with_unit(const OptionRow& row, const std::string& text) {
  const bool is_plain = text.find_first_not_of("0123456789") == text.npos && !text.empty();
  return is_plain ? text + std::string(row.unit) : text;
}

void add(CLI::App& command, ServeOptions& options, const OptionRow& row, const std::string& preset) {
  const auto take = [&options, row](const std::string& text) {
    options.values.emplace_back(row.key, with_unit(row, text));
  };
  const auto check = [row](const std::string& text) {
    config::Config scratch;
    return config::assign(scratch, row.key, with_unit(row, text));
  };
  command.add_option_function<std::string>(row.name, take, row.help)
      ->type_name(row.value)
      ->default_str(preset)
      ->group(row.group)
      ->check(CLI::Validator(check, ""));
}

/// A path has several places in one text, as debuggers are told of them.
bool is_symbol_path(std::string_view text) { return text.find_first_of("*;") != text.npos; }

std::string check_symbols(std::string& text) {
  if (!is_symbol_path(text)) return directory_or_url()(text);
  const sources::SymbolPath path = sources::parse_symbol_path(text);
  if (!path.sources.empty()) return {};
  return path.warnings.empty() ? "names no source" : path.warnings.front();
}

/// Everybody may see what they have: whoever gives them on the command line has one server for all.
sources::SymbolPath sources_of(const ServeOptions& options) {
  sources::SymbolPath all;
  const auto take = [&](sources::SymbolPath path) {
    for (sources::SourceConfig& source : path.sources) all.sources.push_back(std::move(source));
    for (std::string& warning : path.warnings) all.warnings.push_back(std::move(warning));
  };
  for (const std::string& text : options.symbols) {
    if (is_symbol_path(text)) take(sources::parse_symbol_path(text));
    else all.sources.push_back(fetch::config_of(text));
  }
  if (!options.debuginfod.empty()) take(sources::parse_debuginfod_urls(options.debuginfod));
  for (sources::SourceConfig& source : all.sources) source.is_public = true;
  return all;
}

void add(CLI::App& command, ServeOptions& options, std::span<const OptionRow> rows) {
  std::vector<std::string_view> keys;
  for (const OptionRow& row : rows) keys.push_back(row.key);
  const std::vector<std::string> presets = config::texts_of({}, keys);
  for (std::size_t i = 0; i < rows.size(); ++i) add(command, options, rows[i], presets[i]);
}

}  // namespace

void add_source_options(CLI::App& command, ServeOptions& options) {
  add_config_option(command, options.config_file);
  command
      .add_option_function<std::string>(
          "--cache-dir", [&options](const std::string& text) { options.values.emplace_back("cache_dir", text); },
          "cache directory, created if missing [default: $XDG_CACHE_HOME/symcached, or ~/.cache/symcached]")
      ->type_name("DIR");
  command
      .add_option(
          "--symbols", options.symbols,
          "where debug files come from: a directory, laid out as a symbol store or in any order; the http(s) URL of a "
          "symbol server; or several in one text, as _NT_SYMBOL_PATH has them; repeatable, asked in this order, "
          "instead of the sources of the configuration file")
      ->type_name("DIR|URL|PATH")
      ->check(CLI::Validator(check_symbols, ""))
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      .add_option("--debuginfod", options.debuginfod,
                  "debuginfod servers to ask besides, as DEBUGINFOD_URLS has them: URLs with blanks between")
      ->type_name("URLS");
  command.add_flag_callback(
      "--private-redirects", [&options] { options.values.emplace_back("network.private_redirects", "true"); },
      "follow redirects of symbol servers to other private addresses");
}

void add_serve_options(CLI::App& command, ServeOptions& options) {
  add(command, options, kOptions);
  add_source_options(command, options);
  command.footer(kFooter);
}

config::Loaded load_config(const ServeOptions& options) {
  config::Loaded loaded = config::load(options.config_file, config::of_process);
  for (const auto& [key, text] : options.values) config::assign(loaded.config, key, text);
  if (options.symbols.empty() && options.debuginfod.empty()) return loaded;
  sources::SymbolPath given = sources_of(options);
  loaded.config.sources = std::move(given.sources);
  for (std::string& warning : given.warnings) loaded.report.warning(0, std::move(warning));
  return loaded;
}

}  // namespace symcached::app
