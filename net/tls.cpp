#include "net/tls.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <cstring>
#include <new>
#include <string_view>

namespace symcached::net {
namespace {

constexpr std::string_view kProtocol = "\x08http/1.1";  ///< as ALPN has it: a byte for its length
constexpr unsigned char kSessionContext[] = "symcached";

/// OpenSSL would ask the terminal for the password of an encrypted key.
int no_password(char*, int, int, void*) { return -1; }

/// Why the last call failed; of several reasons the first, which is nearest to the cause.
std::string reason() {
  const unsigned long error = ERR_peek_error();
  ERR_clear_error();
  if (ERR_SYSTEM_ERROR(error)) return std::strerror(ERR_GET_REASON(error));
  const char* text = ERR_reason_error_string(error);
  return text != nullptr ? text : "unknown error";
}

/// A client that speaks other protocols only could not understand an answer.
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* size, const unsigned char* offered,
                    unsigned offered_size, void*) {
  const auto* ours = reinterpret_cast<const unsigned char*>(kProtocol.data());
  unsigned char* out = nullptr;
  if (SSL_select_next_proto(&out, size, ours, kProtocol.size(), offered, offered_size) != OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  *chosen = out;
  return SSL_TLSEXT_ERR_OK;
}

/// A record that waits for the client is given to OpenSSL again from another buffer, see send_copied().
void set_modes(SSL_CTX* context) {
  SSL_CTX_set_mode(context,
                   SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                   SSL_OP_PRIORITIZE_CHACHA | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
  SSL_CTX_set_default_passwd_cb(context, no_password);
}

bool set_ciphers(SSL_CTX* context) {
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
         SSL_CTX_set_ciphersuites(context,
                                  "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256") == 1 &&
         SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1 &&
         SSL_CTX_set_session_id_context(context, kSessionContext, sizeof kSessionContext) == 1;
}

std::expected<std::shared_ptr<SSL_CTX>, std::string> load(const TlsFiles& files) {
  ERR_clear_error();
  const std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (!context) throw std::bad_alloc();
  set_modes(context.get());
  if (!set_ciphers(context.get())) return std::unexpected("TLS cannot be set up: " + reason());
  if (SSL_CTX_use_certificate_chain_file(context.get(), files.certificate.c_str()) != 1)
    return std::unexpected(fmt::format("certificate {}: {}", files.certificate, reason()));
  if (SSL_CTX_use_PrivateKey_file(context.get(), files.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context.get()) != 1)
    return std::unexpected(fmt::format("key {}: {}", files.key, reason()));
  return context;
}

}  // namespace

std::expected<std::shared_ptr<Tls>, std::string> Tls::open(const TlsFiles& files) {
  auto context = load(files);
  if (!context) return std::unexpected(context.error());
  return std::shared_ptr<Tls>(new Tls(std::move(*context)));
}

std::expected<void, std::string> Tls::reload(const TlsFiles& files) {
  auto context = load(files);
  if (!context) return std::unexpected(context.error());
  const std::scoped_lock lock(mutex_);
  context_ = std::move(*context);
  return {};
}

std::shared_ptr<SSL_CTX> Tls::context() const {
  const std::scoped_lock lock(mutex_);
  return context_;
}

}  // namespace symcached::net
