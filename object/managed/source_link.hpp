#pragma once
/// Source Link: JSON in a PDB that says at which URLs the sources lie that a program was built from.
/// Spec: "Source Link" of the .NET designs; docs/source-context.md.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace symcached::object {

/// Bytes of JSON. A rule for each file of a very large program fits; usual are one to a dozen rules.
inline constexpr std::size_t kMaxSourceLink = 4u << 20;

class SourceLink {
 public:
  /// As written, the `*` too. Either both have one, the path at its end, or none has.
  struct Rule {
    std::string path;
    std::string url;
  };

  /// @param json  UTF-8, with a byte order mark or without; at most kMaxSourceLink bytes, 32 levels deep
  /// Entries that break the rules of the specification are left out and counted; text that is no JSON, or has no object
  /// "documents", is refused.
  static Read<SourceLink> parse(std::string_view json);

  /// Of rules that parse() gave before, or others: those that break the rules of the specification are left out.
  static SourceLink of(std::vector<Rule> rules);

  /// The URL of a source, put together by the rule that fits best: one for this path alone, else the one with the
  /// longest path before its `*`. Case of ASCII letters does not count.
  /// @param document  path as the PDB has it
  /// @return          unchecked: any scheme and host, `..` and whatever else the rule's author wrote;
  ///                  nothing if no rule fits (a miss is no error)
  /// Cost: two binary searches, then one step for each rule whose path is the start of the one tried before.
  std::optional<std::string> url_of(std::string_view document) const;

  /// In the order of the text. Of rules for one path the first counts.
  std::span<const Rule> rules() const { return rules_; }
  std::uint64_t left_out() const { return left_out_; }  ///< entries that break the rules

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  /// A path to look up: lower case, without the `*`.
  struct Key {
    std::string path;
    std::uint32_t rule = 0;         ///< index into rules_
    std::uint32_t shorter = kNone;  ///< of prefixes: the longest other one that this one starts with
  };
  static std::vector<Key> sorted(std::vector<Key> keys);
  void index();

  std::vector<Rule> rules_;
  std::vector<Key> exact_, prefixes_;  ///< sorted by path, each once
  std::uint64_t left_out_ = 0;
};

}  // namespace symcached::object
