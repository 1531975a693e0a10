#include "config/records.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "auth/rules.hpp"
#include "config/row.hpp"
#include "transcode/arguments.hpp"
#include "wpt/version.hpp"

namespace symcached::config {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 50;

Rows rows_of(auth::Token& token) {
  return {{"name", text(token.name), "names the token in the log"},
          {"token", secret(token.token), "what the client sends"},
          {"scopes", texts(token.scopes), "scopes that it gives access to; none: all"}};
}

Rows rows_of(Transcoder& transcoder) {
  const TimeBounds bounds{std::chrono::seconds(1), std::chrono::hours(24)};
  transcode::TranscoderConfig& program = transcoder.program;
  return {
      {"version", text(transcoder.version), "version of the format that it makes"},
      {"command", texts(program.command), "the program and its arguments"},
      {"folder", text(program.folder), "directory that it runs in; empty: its own"},
      {"environment", texts(program.environment), "variables, NAME=VALUE, besides the usual ones"},
      {"timeout", time(program.timeout, bounds), "after which it is ended"},
      {"memory", size(program.memory_limit, {0, kMostBytes}), "address space of each of its processes; 0: no limit"},
      {"max_output", size(program.output_limit, {1, kMostBytes}), "bytes that it may write"},
      {"network", flag(program.has_network), "whether it may use the network"}};
}

void check_token(const auth::Token& token, const Node& at, const std::string& prefix, Report& report) {
  if (token.name.empty()) report.error(at.line, prefix + "name: missing; write a name for the log");
  if (token.name == auth::kAnonymous || token.name.find_first_of("*@:\\") != std::string::npos)
    report.error(at.line, prefix + "name: write one without *, @, : and \\, and not anonymous");
  if (token.token.empty()) report.error(at.line, prefix + "token: missing");
}

Rows rows_of(auth::Rule& rule) {
  return {{"principal", text(rule.principal),
           "alice@REALM, *@REALM, DOMAIN\\alice, a token's name, anonymous, or * for all known"},
          {"pdb", text(rule.pdb), "glob of names of PDBs"},
          {"allow", flag(rule.allow), "whether they may see those"}};
}

/// A list of maps, each with the rows of its type. @param check  called with each that was read
template <class T>
Field list_of(std::vector<T>& list, void (*check)(const T&, const Node&, const std::string&, Report&)) {
  return {"list of maps", false,
          [&list, check](const Node& node, const std::string& key, Report& report) {
            list.clear();
            if (!node.is_sequence())
              return report.error(node.line, fmt::format("{}: {}", key, wanted("a list of maps", node)));
            for (const Node& item : node.items) {
              const std::string prefix = fmt::format("{}[{}].", key, list.size());
              T one;
              read_rows(item, rows_of(one), prefix, {}, report);
              check(one, item, prefix, report);
              list.push_back(std::move(one));
            }
          },
          [&list](Secrets secrets) {
            Node node{Node::Kind::sequence};
            for (T& one : list) node.items.push_back(write_rows(rows_of(one), secrets));
            return node;
          }};
}

void check_rule(const auth::Rule& rule, const Node& at, const std::string& prefix, Report& report) {
  if (rule.principal.empty()) report.error(at.line, prefix + "principal: empty; write * for all who have logged in");
}

void check_transcoder(std::uint32_t major_part, const Transcoder& transcoder, const Node& at, const std::string& prefix,
                      Report& report) {
  const auto version = wpt::Version::parse(transcoder.version);
  if (!version || version->major_part != major_part)
    report.error(at.line, fmt::format("{}version: \"{}\": write a version such as {}.1.0", prefix, transcoder.version,
                                      major_part));
  if (transcoder.program.command.empty())
    return report.error(at.line, prefix + "command: missing; write a list: [PROGRAM, ARGUMENT]");
  if (const std::string wrong = transcode::check_command(transcoder.program.command); !wrong.empty())
    report.error(at.line, fmt::format("{}command: {}", prefix, wrong));
}

}  // namespace

Field tokens(std::vector<auth::Token>& tokens) { return list_of(tokens, check_token); }

Field rules(std::vector<auth::Rule>& rules) { return list_of(rules, check_rule); }

Field transcoders(std::map<std::uint32_t, Transcoder>& transcoders) {
  return {"map of maps", false,
          [&transcoders](const Node& node, const std::string& key, Report& report) {
            if (!node.is_map()) return report.error(node.line, fmt::format("{}: {}", key, wanted("a map", node)));
            for (const Node& item : node.items) {
              const auto major_part = wpt::parse_decimal(item.key);
              if (!major_part) {
                report.error(item.line, fmt::format("{}.{}: write a major version, such as 3", key, item.key));
                continue;
              }
              const std::string prefix = fmt::format("{}.{}.", key, *major_part);
              Transcoder transcoder;
              read_rows(item, rows_of(transcoder), prefix, {}, report);
              check_transcoder(*major_part, transcoder, item, prefix, report);
              transcoders[*major_part] = std::move(transcoder);
            }
          },
          [&transcoders](Secrets secrets) {
            Node node{Node::Kind::map};
            for (auto& [major_part, transcoder] : transcoders) {
              node.items.push_back(write_rows(rows_of(transcoder), secrets));
              node.items.back().key = std::to_string(major_part);
            }
            return node;
          }};
}

}  // namespace symcached::config
