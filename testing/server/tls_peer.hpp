#pragma once
/// HttpPeer over TLS. It checks no certificate.
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <memory>

#include "testing/server/http_peer.hpp"

namespace symcached {

class TlsPeer : public HttpPeer {
 public:
  /// How a client differs from the ordinary.
  struct Ways {
    int highest = TLS1_3_VERSION;
    int lowest = TLS1_VERSION;
    std::string protocols = "";      ///< of ALPN, each with a byte for its length before it
    SSL_SESSION* resumed = nullptr;  ///< taken over
    int receive_buffer = 0;          ///< see HttpPeer
    std::string ciphers = "DEFAULT@SECLEVEL=0";
  };

  explicit TlsPeer(std::uint16_t port) : TlsPeer(port, Ways()) {}
  TlsPeer(std::uint16_t port, const Ways& ways)
      : HttpPeer(ways.receive_buffer), context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free) {
    connect(port);
    SSL_CTX_set_min_proto_version(context_.get(), ways.lowest);
    SSL_CTX_set_max_proto_version(context_.get(), ways.highest);
    SSL_CTX_set_cipher_list(context_.get(), ways.ciphers.c_str());
    SSL_CTX_set_mode(context_.get(), SSL_MODE_AUTO_RETRY);
    ssl_.reset(SSL_new(context_.get()));
    if (!ways.protocols.empty())
      SSL_set_alpn_protos(ssl_.get(), reinterpret_cast<const unsigned char*>(ways.protocols.data()),
                          static_cast<unsigned>(ways.protocols.size()));
    if (ways.resumed != nullptr) SSL_set_session(ssl_.get(), ways.resumed);
    SSL_set_fd(ssl_.get(), descriptor());
    ERR_clear_error();
    shaken_ = SSL_connect(ssl_.get()) == 1;
  }
  TlsPeer(TlsPeer&&) = default;
  TlsPeer& operator=(TlsPeer&&) = default;

  bool shaken() const { return shaken_; }  ///< hands, that is
  SSL* ssl() { return ssl_.get(); }
  /// Says that nothing more comes, as TLS does; the socket stays open.
  void say_end() { SSL_shutdown(ssl_.get()); }
  void say_raw(std::string_view text) const { HttpPeer::send_some(text); }
  /// Whether the server has said so.
  bool heard_end() const { return (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0; }
  std::string server_name() const {
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(SSL_get1_peer_certificate(ssl_.get()), X509_free);
    char text[100] = "";
    if (certificate)
      X509_NAME_get_text_by_NID(X509_get_subject_name(certificate.get()), NID_commonName, text, sizeof text);
    return text;
  }

 protected:
  ssize_t send_some(std::string_view text) const override {
    return SSL_write(ssl_.get(), text.data(), static_cast<int>(text.size()));
  }
  ssize_t receive_some(char* to, std::size_t size) override { return SSL_read(ssl_.get(), to, static_cast<int>(size)); }

 private:
  struct Free {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };
  std::shared_ptr<SSL_CTX> context_;
  std::unique_ptr<SSL, Free> ssl_;
  bool shaken_ = false;
};

}  // namespace symcached
