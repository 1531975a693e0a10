#pragma once
/// What a server needs to speak TLS: a certificate with its key, which may be renewed while it serves.
#include <expected>
#include <memory>
#include <mutex>
#include <string>

typedef struct ssl_ctx_st SSL_CTX;

namespace symcached::net {

/// PEM files: the server's certificate with those that lead to the authority behind it, and its key, without password.
struct TlsFiles {
  std::string certificate, key;
};

/// TLS 1.2 and 1.3 with forward secrecy; of ALPN's protocols http/1.1 alone; resumption by tickets, without state.
/// From any thread.
class Tls {
 public:
  /// @return or why the files cannot be used: "certificate FILE: ...", "key FILE: ..."; nothing of the key in it
  static std::expected<std::shared_ptr<Tls>, std::string> open(const TlsFiles& files);

  /// New connections use what the files hold now; open ones keep what they have. With an error all stays as it is.
  /// Tickets of before are not taken any more: such a client does a whole handshake.
  std::expected<void, std::string> reload(const TlsFiles& files);

  std::shared_ptr<SSL_CTX> context() const;

 private:
  explicit Tls(std::shared_ptr<SSL_CTX> context) : context_(std::move(context)) {}

  mutable std::mutex mutex_;
  std::shared_ptr<SSL_CTX> context_;
};

}  // namespace symcached::net
