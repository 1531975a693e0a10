#pragma once
/// The target of a request: a path, and parameters that are what the page knows or nothing.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiling/sampling/profile.hpp"

namespace symcached::pprof {

struct Target {
  std::string_view path;
  std::string_view query;  ///< without '?', percent-encoded
};

/// "/pprof/heap?x" or "http://host/pprof/heap?x". Fragments are cut off.
Target split_target(std::string_view target);

/// The parameters of one request, each checked by whoever reads it; what nobody read is refused by unknown().
class Query {
 public:
  /// @return refused with 400 if it is not percent-encoded, or too long
  static Answer<Query> parse(std::string_view query);

  /// Of all values under that name the smallest but 0: google-pprof appends its own `seconds` to that of a URL.
  /// @return nothing if there is none; refused with 400 for anything but whole numbers of 1 to `most`
  Answer<std::optional<std::uint64_t>> smallest(std::string_view name, std::uint64_t most);
  /// @return `otherwise` if there is none; refused with 400 for anything but one whole number up to `most`
  Answer<std::uint64_t> number(std::string_view name, std::uint64_t otherwise, std::uint64_t most);
  /// Printable ASCII, one value; empty if there is none.
  Answer<std::string> text(std::string_view name);
  bool has(std::string_view name) const;

  /// Why there is a parameter that nobody read.
  std::optional<Refusal> unknown() const;

 private:
  struct Parameter {
    std::string name, value;
    bool was_read = false;
  };
  std::vector<std::string*> values(std::string_view name);

  std::vector<Parameter> all_;
  std::string known_;  ///< names that were asked for
};

}  // namespace symcached::pprof
