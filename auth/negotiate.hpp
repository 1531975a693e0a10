#pragma once
/// The server's end of Negotiate (RFC 4559): Kerberos, and NTLM where it is allowed, by GSSAPI.
#include <cstddef>
#include <expected>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "net/http.hpp"

namespace symcached::auth {

struct LoggedIn {
  http::Principal principal;
  std::vector<std::byte> token;  ///< proves to the client who we are; may be empty
};
struct OneMoreStep {
  std::vector<std::byte> token;
};
struct LogInFailed {
  std::string why;  ///< for the log
};
using LogInStep = std::variant<LoggedIn, OneMoreStep, LogInFailed>;

/// One client that logs in, from its first token on; moved from call to call and thread to thread.
class LogIn;

class Negotiator {
 public:
  /// @param keytab  empty: Kerberos' own default
  /// @return or why clients cannot log in: the keytab cannot be read, or has no key for HTTP/...
  static std::expected<std::shared_ptr<const Negotiator>, std::string> open(const std::string& keytab, bool ntlm);
  ~Negotiator();

  /// Blocks, on a disk at least. From any thread, but in turn for one LogIn.
  /// @param log_in  null at the first step; set while there is one more
  LogInStep step(const std::vector<std::byte>& token, std::shared_ptr<LogIn>& log_in) const;

 private:
  struct Credential;
  explicit Negotiator(std::unique_ptr<Credential> credential);
  const std::unique_ptr<Credential> credential_;
};

}  // namespace symcached::auth
