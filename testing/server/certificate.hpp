#pragma once
/// Certificates of a test's own, for localhost, signed with their own keys.
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

#include "net/tls.hpp"
#include "testing/temp_folder.hpp"

namespace symcached {

/// Writes NAME.pem and NAME.key into `folder`.
inline net::TlsFiles write_certificate(const TempFolder& folder, const std::string& name) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> made(X509_new(), X509_free);
  X509_set_version(made.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), 3600);
  const auto* text = reinterpret_cast<const unsigned char*>(name.c_str());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_ASC, text, -1, -1, 0);
  X509_set_issuer_name(made.get(), X509_get_subject_name(made.get()));
  X509_set_pubkey(made.get(), key.get());
  X509_sign(made.get(), key.get(), EVP_sha256());

  const auto pem = [&](const std::string& file, const auto& write) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new(BIO_s_mem()), BIO_free);
    write(bio.get());
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &bytes);
    folder.write(file, std::string(bytes, static_cast<std::size_t>(size)));
    return (folder.path() / file).string();
  };
  return {pem(name + ".pem", [&](BIO* bio) { PEM_write_bio_X509(bio, made.get()); }), pem(name + ".key", [&](BIO* bio) {
            PEM_write_bio_PKCS8PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
          })};
}

}  // namespace symcached
