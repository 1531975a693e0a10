#pragma once
/// A URL taken apart by libcurl, so that what is checked is what is asked.
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "fetch/curl_library.hpp"

namespace symcached::fetch {

class Url {
 public:
  /// Any scheme. @return the URL, or why it is none
  static std::expected<Url, std::string> parse(std::string_view text);

  std::string part(CURLUPart which, unsigned flags = 0) const;  ///< empty if there is none
  /// Becomes what a Location header leads to from here. @return nothing, or why it leads nowhere
  std::expected<void, std::string> follow(std::string_view location);
  void set(CURLUPart which, const std::string& text);  ///< throws if it does not fit
  void drop(CURLUPart which) { curl().url_set(handle_.get(), which, nullptr, 0); }

 private:
  struct Free {
    void operator()(CURLU* url) const { curl().url_cleanup(url); }
  };
  explicit Url(CURLU* handle) : handle_(handle) {}
  std::unique_ptr<CURLU, Free> handle_;
};

}  // namespace symcached::fetch
