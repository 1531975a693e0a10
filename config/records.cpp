#include "config/records.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/row.hpp"
#include "wpt/version.hpp"

namespace symcached::config {
namespace {

Rows rows_of(Token& token) {
  return {{"name", text(token.name), "names the token in the log"},
          {"token", secret(token.token), "what the client sends"},
          {"scopes", texts(token.scopes), "scopes that it gives access to; none: all"}};
}

Rows rows_of(Transcoder& transcoder) {
  const TimeBounds bounds{std::chrono::seconds(1), std::chrono::hours(24)};
  return {{"version", text(transcoder.version), "version of the format that it makes"},
          {"command", texts(transcoder.command), "the program and its arguments"},
          {"timeout", time(transcoder.timeout, bounds), "after which it is ended"}};
}

void check_token(const Token& token, const Node& at, const std::string& prefix, Report& report) {
  if (token.name.empty()) report.error(at.line, prefix + "name: missing; write a name for the log");
  if (token.token.empty()) report.error(at.line, prefix + "token: missing");
}

void check_transcoder(std::uint32_t major_part, const Transcoder& transcoder, const Node& at, const std::string& prefix,
                      Report& report) {
  const auto version = wpt::Version::parse(transcoder.version);
  if (!version || version->major_part != major_part)
    report.error(at.line, fmt::format("{}version: \"{}\": write a version such as {}.1.0", prefix, transcoder.version,
                                      major_part));
  if (transcoder.command.empty()) report.error(at.line, prefix + "command: missing; write a list: [PROGRAM, ARGUMENT]");
}

}  // namespace

Field tokens(std::vector<Token>& tokens) {
  return {"list of maps", false,
          [&tokens](const Node& node, const std::string& key, Report& report) {
            tokens.clear();
            if (!node.is_sequence())
              return report.error(node.line, fmt::format("{}: {}", key, wanted("a list of maps", node)));
            for (const Node& item : node.items) {
              const std::string prefix = fmt::format("{}[{}].", key, tokens.size());
              Token token;
              read_rows(item, rows_of(token), prefix, {}, report);
              check_token(token, item, prefix, report);
              tokens.push_back(std::move(token));
            }
          },
          [&tokens](Secrets secrets) {
            Node node{Node::Kind::sequence};
            for (Token& token : tokens) node.items.push_back(write_rows(rows_of(token), secrets));
            return node;
          }};
}

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
