#pragma once
/// What an operator sets.
#include <string>
#include <vector>

namespace symcached::auth {

struct Token {
  std::string name, token;
  std::vector<std::string> scopes;  ///< that it gives access to; empty: all
};

/// The first rule whose patterns both match decides.
struct Rule {
  std::string principal = "*";  ///< a name, "*@REALM", "anonymous", or "*": all who have logged in
  std::string pdb = "*";        ///< a glob, case does not count
  bool allow = true;
};

struct Options {
  std::vector<Token> tokens = {};
  bool negotiate = false;   ///< Kerberos
  bool ntlm = false;        ///< NTLM within Negotiate
  std::string keytab = {};  ///< empty: Kerberos' own default
  std::vector<Rule> rules = {};
  bool hide = false;  ///< 404 instead of 403

  bool on() const { return negotiate || !tokens.empty(); }
};

}  // namespace symcached::auth
