#include "fetch/sigv4.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/ascii.hpp"
#include "base/hex.hpp"
#include "fetch/secrets.hpp"

namespace symcached::fetch {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

/// Without blanks around it; several blanks within become one.
std::string trimmed(std::string_view value) {
  std::string out;
  for (const char c : value) {
    const bool blank = c == ' ' || c == '\t';
    if (!blank) out += c;
    else if (!out.empty() && !out.ends_with(' ')) out += ' ';
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

/// Lower-case names, sorted; values of one name in the order they were given.
std::map<std::string, std::string> canonical_headers(const http::Headers& headers) {
  std::map<std::string, std::string> all;
  for (const auto& [name, value] : headers) {
    const auto [at, is_new] = all.try_emplace(lower_ascii(name), trimmed(value));
    if (!is_new) at->second += "," + trimmed(value);
  }
  return all;
}

std::string canonical_query(std::string_view query) {
  std::vector<std::string> parameters;
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    std::string one(query.substr(0, end));
    if (one.find('=') == std::string::npos) one += '=';
    parameters.push_back(std::move(one));
    query = end == std::string_view::npos ? std::string_view() : query.substr(end + 1);
  }
  std::ranges::sort(parameters);
  return fmt::format("{}", fmt::join(parameters, "&"));
}

/// What a key is good for: a day, a region, a service.
std::string scope_of(const std::string& time, const std::string& region, const std::string& service) {
  return fmt::format("{}/{}/{}/aws4_request", time.substr(0, 8), region, service);
}

struct SignedHeaders {
  std::string lines, names;
};

SignedHeaders signed_headers(const http::Headers& headers) {
  SignedHeaders all;
  for (const auto& [name, value] : canonical_headers(headers)) {
    all.lines += fmt::format("{}:{}\n", name, value);
    all.names += fmt::format("{}{}", all.names.empty() ? "" : ";", name);
  }
  return all;
}

std::string signature(const AwsKeys& keys, const std::string& region, const std::string& service, const ToSign& request,
                      const SignedHeaders& headers, const std::string& time) {
  const std::string canonical =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}", request.method, request.path, canonical_query(request.query), headers.lines,
                  headers.names, request.payload_hash);
  const std::string to_sign = fmt::format("{}\n{}\n{}\n{}", kAlgorithm, time, scope_of(time, region, service),
                                          to_hex(store::sha256(as_bytes(canonical))));
  store::Sha256 key = hmac_sha256(as_bytes("AWS4" + keys.secret_key), time.substr(0, 8));
  for (const std::string_view part : {std::string_view(region), std::string_view(service),
                                      std::string_view("aws4_request"), std::string_view(to_sign)})
    key = hmac_sha256(key, part);
  return to_hex(key);
}

}  // namespace

std::string amz_date(std::chrono::sys_seconds time) { return fmt::format("{:%Y%m%dT%H%M%SZ}", time); }

std::string sign_v4(const AwsKeys& keys, const std::string& region, const std::string& service, const ToSign& request,
                    std::chrono::sys_seconds now) {
  const std::string time = amz_date(now);
  const SignedHeaders headers = signed_headers(request.headers);
  return fmt::format("{} Credential={}/{}, SignedHeaders={}, Signature={}", kAlgorithm, keys.access_key,
                     scope_of(time, region, service), headers.names,
                     signature(keys, region, service, request, headers, time));
}

std::string presign_v4(const AwsKeys& keys, const std::string& region, const std::string& service, ToSign request,
                       std::chrono::seconds expires, std::chrono::sys_seconds now) {
  const std::string time = amz_date(now);
  const SignedHeaders headers = signed_headers(request.headers);
  const auto add = [&](std::string_view name, std::string_view value) {
    request.query += fmt::format("{}{}={}", request.query.empty() ? "" : "&", name, http::percent_encode(value));
  };
  add("X-Amz-Algorithm", kAlgorithm);
  add("X-Amz-Credential", keys.access_key + "/" + scope_of(time, region, service));
  add("X-Amz-Date", time);
  add("X-Amz-Expires", fmt::format("{}", expires.count()));
  add("X-Amz-SignedHeaders", headers.names);
  if (!keys.session_token.empty()) add("X-Amz-Security-Token", keys.session_token);
  request.payload_hash = "UNSIGNED-PAYLOAD";
  return fmt::format("{}&X-Amz-Signature={}", request.query, signature(keys, region, service, request, headers, time));
}

}  // namespace symcached::fetch
