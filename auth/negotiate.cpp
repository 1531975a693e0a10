#include "auth/negotiate.hpp"

#include <fmt/format.h>
#include <gssapi/gssapi.h>
#include <gssapi/gssapi_ext.h>
#include <gssapi/gssapi_krb5.h>

#include <array>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"

namespace symcached::auth {
namespace {

constexpr int kMostSteps = 4;  ///< NTLM takes two

char kSpnegoBytes[] = "\x2b\x06\x01\x05\x05\x02";                // 1.3.6.1.5.5.2
char kNtlmBytes[] = "\x2b\x06\x01\x04\x01\x82\x37\x02\x02\x0a";  // 1.3.6.1.4.1.311.2.2.10
gss_OID_desc kSpnego{sizeof kSpnegoBytes - 1, kSpnegoBytes};
gss_OID_desc kNtlm{sizeof kNtlmBytes - 1, kNtlmBytes};

/// A buffer that GSSAPI allocates.
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    OM_uint32 ignored = 0;
    gss_release_buffer(&ignored, &buffer_);
  }
  gss_buffer_t out() { return &buffer_; }
  std::string_view text() const { return {static_cast<const char*>(buffer_.value), buffer_.length}; }

 private:
  gss_buffer_desc buffer_ = GSS_C_EMPTY_BUFFER;
};

class Name {
 public:
  Name() = default;
  Name(const Name&) = delete;
  Name& operator=(const Name&) = delete;
  ~Name() {
    OM_uint32 ignored = 0;
    gss_release_name(&ignored, &name_);
  }
  gss_name_t* out() { return &name_; }
  gss_name_t get() const { return name_; }

 private:
  gss_name_t name_ = GSS_C_NO_NAME;
};

void add_text(std::string& text, OM_uint32 code, int type, gss_OID mechanism) {
  OM_uint32 ignored = 0, more = 0;
  do {
    Buffer part;
    if (GSS_ERROR(gss_display_status(&ignored, code, type, mechanism, &more, part.out()))) return;
    if (!text.empty()) text += "; ";
    text += part.text();
  } while (more != 0);
}

std::string text_of(OM_uint32 major, OM_uint32 minor, gss_OID mechanism) {
  std::string text;
  add_text(text, major, GSS_C_GSS_CODE, GSS_C_NO_OID);
  if (minor != 0) add_text(text, minor, GSS_C_MECH_CODE, mechanism);
  return text;
}

bool same(gss_OID a, gss_OID b) {
  return a != nullptr && as_text({static_cast<const std::byte*>(a->elements), a->length}) ==
                             as_text({static_cast<const std::byte*>(b->elements), b->length});
}

/// Users of NTLM choose their names as they like: with a backslash in it, none is taken for one of Kerberos or a token.
http::Principal principal_of(std::string_view name, gss_OID mechanism) {
  if (!same(mechanism, &kNtlm)) return {std::string(name), "kerberos"};
  const bool has_domain = name.find('\\') != std::string_view::npos;
  return {(has_domain ? "" : "\\") + std::string(name), "ntlm"};
}

std::vector<std::byte> bytes_of(const Buffer& buffer) {
  const Bytes bytes = as_bytes(buffer.text());
  return {bytes.begin(), bytes.end()};
}

}  // namespace

struct Negotiator::Credential {
  Credential() = default;
  Credential(const Credential&) = delete;
  Credential& operator=(const Credential&) = delete;
  ~Credential() {
    OM_uint32 ignored = 0;
    gss_release_cred(&ignored, &handle);
  }

  /// Keys for HTTP/..., of whatever host name. @return what is wrong; empty if nothing is
  std::string acquire(const std::string& keytab, gss_OID_set mechanisms) {
    char service_text[] = "HTTP";
    gss_buffer_desc service{sizeof service_text - 1, service_text};
    Name name;
    OM_uint32 minor = 0;
    OM_uint32 major = gss_import_name(&minor, &service, GSS_C_NT_HOSTBASED_SERVICE, name.out());
    if (GSS_ERROR(major)) return text_of(major, minor, GSS_C_NO_OID);
    const std::string place = "FILE:" + keytab;
    gss_key_value_element_desc element{"keytab", place.c_str()};
    const gss_key_value_set_desc store{keytab.empty() ? 0u : 1u, &element};
    major = gss_acquire_cred_from(&minor, name.get(), GSS_C_INDEFINITE, mechanisms, GSS_C_ACCEPT, &store, &handle,
                                  nullptr, nullptr);
    return GSS_ERROR(major) ? text_of(major, minor, &mechanisms->elements[0]) : "";
  }

  gss_cred_id_t handle = GSS_C_NO_CREDENTIAL;
};

class LogIn {
 public:
  LogIn() = default;
  LogIn(const LogIn&) = delete;
  LogIn& operator=(const LogIn&) = delete;
  ~LogIn() {
    OM_uint32 ignored = 0;
    gss_delete_sec_context(&ignored, &context, GSS_C_NO_BUFFER);
  }

  gss_ctx_id_t context = GSS_C_NO_CONTEXT;
  int steps = 0;
};

Negotiator::Negotiator(std::unique_ptr<Credential> credential) : credential_(std::move(credential)) {}
Negotiator::~Negotiator() = default;

std::expected<std::shared_ptr<const Negotiator>, std::string> Negotiator::open(const std::string& keytab, bool ntlm) {
  gss_OID_set_desc kerberos{1, gss_mech_krb5 == nullptr ? nullptr : const_cast<gss_OID>(gss_mech_krb5)};
  Credential keys;  // a credential for all mechanisms would not say what is wrong with one of them
  if (const std::string why = keys.acquire(keytab, &kerberos); !why.empty())
    return std::unexpected(fmt::format("keytab {}: {}", keytab.empty() ? "(default)" : keytab, why));

  std::array<gss_OID_desc, 3> all{kSpnego, *gss_mech_krb5, kNtlm};
  gss_OID_set_desc mechanisms{ntlm ? 3u : 2u, all.data()};
  auto credential = std::make_unique<Credential>();
  if (const std::string why = credential->acquire(keytab, &mechanisms); !why.empty())
    return std::unexpected("negotiate: " + why);
  gss_OID_set_desc within{mechanisms.count - 1, all.data() + 1};
  OM_uint32 minor = 0;
  const OM_uint32 major = gss_set_neg_mechs(&minor, credential->handle, &within);
  if (GSS_ERROR(major)) return std::unexpected("negotiate: " + text_of(major, minor, &kSpnego));
  return std::shared_ptr<const Negotiator>(new Negotiator(std::move(credential)));
}

LogInStep Negotiator::step(const std::vector<std::byte>& token, std::shared_ptr<LogIn>& log_in) const {
  const std::shared_ptr<LogIn> current = log_in ? std::exchange(log_in, nullptr) : std::make_shared<LogIn>();
  if (++current->steps > kMostSteps) return LogInFailed{"too many steps"};
  gss_buffer_desc input{token.size(), const_cast<std::byte*>(token.data())};
  Name name;
  Buffer output;
  gss_OID mechanism = GSS_C_NO_OID;
  OM_uint32 minor = 0, flags = 0;
  const OM_uint32 major =
      gss_accept_sec_context(&minor, &current->context, credential_->handle, &input, GSS_C_NO_CHANNEL_BINDINGS,
                             name.out(), &mechanism, output.out(), &flags, nullptr, nullptr);
  if (GSS_ERROR(major)) return LogInFailed{text_of(major, minor, mechanism)};
  if ((major & GSS_S_CONTINUE_NEEDED) != 0) {
    log_in = current;
    return OneMoreStep{bytes_of(output)};
  }
  Buffer text;
  const OM_uint32 shown = gss_display_name(&minor, name.get(), text.out(), nullptr);
  if (GSS_ERROR(shown)) return LogInFailed{text_of(shown, minor, mechanism)};
  std::string_view shown_name = text.text();
  if (shown_name.ends_with('\0')) shown_name.remove_suffix(1);  // gss-ntlmssp counts the byte that ends a C string
  if ((flags & GSS_C_ANON_FLAG) != 0 || shown_name.empty()) return LogInFailed{"an anonymous ticket"};
  if (shown_name.find('\0') != std::string_view::npos) return LogInFailed{"a name with a zero byte"};
  return LoggedIn{principal_of(shown_name, mechanism), bytes_of(output)};
}

}  // namespace symcached::auth
