#pragma once
/// Which principal may see which PDB.
#include <string_view>
#include <vector>

#include "auth/options.hpp"
#include "net/http.hpp"

namespace symcached::auth {

inline constexpr std::string_view kAnonymous = "anonymous";

class Rules {
 public:
  explicit Rules(std::vector<Rule> rules) : rules_(std::move(rules)) {}

  /// By the first rule that matches. Without one those who have logged in may see it.
  bool allow(const http::Principal& principal, std::string_view pdb) const;
  /// Whether some rule lets clients see anything without logging in.
  bool allow_anonymous() const;

 private:
  std::vector<Rule> rules_;
};

/// Whether `pattern` names `principal`. "*@REALM" names principals of Kerberos only: others choose their names freely.
bool names(std::string_view pattern, const http::Principal& principal);

}  // namespace symcached::auth
