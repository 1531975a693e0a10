#pragma once
/// The body of `POST /symbolicate`: JSON to stack traces and sources, or what is wrong with it. Pure.
/// Spec: docs/protocols/symbolicator.md.
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sources/source_config.hpp"
#include "stacks/request.hpp"

namespace symcached::api {

// What a request may hold. All of it is counted before anything is allocated for it.
inline constexpr std::size_t kMaxDepth = 32;          ///< of arrays and objects, one in the other
inline constexpr std::size_t kMaxValues = 4'000'000;  ///< of JSON, each of which takes 24 bytes
inline constexpr std::size_t kMaxStacks = 20'000;
inline constexpr std::size_t kMaxFrames = 200'000;      ///< of all stacks
inline constexpr std::size_t kMaxRegisters = 1'000;     ///< of a stack
inline constexpr std::size_t kMaxContextLines = 1'000;  ///< before a frame's, and as many behind it
inline constexpr std::size_t kMaxModules = 20'000;
inline constexpr std::size_t kMaxSources = 100;
inline constexpr std::size_t kMaxOrigins = 100, kMaxScrapingHeaders = 32;  ///< of `scraping`

/// What a source that comes with a request may be, besides a server that is asked over HTTP.
struct SourceRules {
  bool folders = false;          ///< `filesystem`: it is a directory of this machine
  bool own_credentials = false;  ///< buckets that are asked with the credentials of this machine
};

struct RefusedSource {
  std::string id;   ///< empty if it has none that can be told
  std::string why;  ///< one line, nothing secret in it
};

struct RequestedSources {
  /// In their order; nothing: the request leaves it to the server.
  std::optional<std::vector<sources::SourceConfig>> sources;
  std::vector<RefusedSource> refused;  ///< the rest of the request stands
};

struct SymbolicateBody {
  stacks::Request request;
  RequestedSources sources;
};

struct BodyFault {
  unsigned status = 400;  ///< 400: no JSON; 413: too large or too deep; 422: JSON that is something else
  std::string why;        ///< one line for the client
};

/// @param body  any bytes; not needed afterwards
/// Cost: about 10 ns a byte; memory about 3 times the body.
std::expected<SymbolicateBody, BodyFault> parse_symbolicate_body(std::string_view body, const SourceRules& rules);

/// The same parts where they come alone: an array of sources, or a null; an object.
std::expected<RequestedSources, BodyFault> parse_sources(std::string_view text, const SourceRules& rules);
std::expected<stacks::Options, BodyFault> parse_options(std::string_view text);

}  // namespace symcached::api
