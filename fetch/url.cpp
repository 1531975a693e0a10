#include "fetch/url.hpp"

#include <new>

namespace symcached::fetch {

std::expected<Url, std::string> Url::parse(std::string_view text) {
  Url url(curl().url());
  if (!url.handle_) throw std::bad_alloc();
  const auto code =
      curl().url_set(url.handle_.get(), CURLUPART_URL, std::string(text).c_str(), CURLU_NON_SUPPORT_SCHEME);
  if (code != CURLUE_OK) return std::unexpected(curl().url_strerror(code));
  return url;
}

std::expected<void, std::string> Url::follow(std::string_view location) {
  constexpr unsigned kFlags = CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE;
  const auto code = curl().url_set(handle_.get(), CURLUPART_URL, std::string(location).c_str(), kFlags);
  if (code != CURLUE_OK) return std::unexpected(curl().url_strerror(code));
  return {};
}

void Url::set(CURLUPart which, const std::string& text) {
  if (curl().url_set(handle_.get(), which, text.c_str(), 0) != CURLUE_OK) throw std::bad_alloc();
}

std::string Url::part(CURLUPart which, unsigned flags) const {
  char* text = nullptr;
  if (curl().url_get(handle_.get(), which, &text, flags) != CURLUE_OK) return {};
  const std::unique_ptr<char, decltype(curl().free)> owned(text, curl().free);
  return text;
}

}  // namespace symcached::fetch
