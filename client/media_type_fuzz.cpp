#include "base/bytes.hpp"
#include "client/answer.hpp"
#include "client/media_type.hpp"

/// What a version is read from states it again; and no answer of this type is of a version that cannot be read.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const std::string text(as_text(std::as_bytes(std::span(data, size))));
  if (const auto type = client::parse_media_type(text); type && type->version)
    if (client::parse_media_type("application/vnd.ms-symcache; version=" + type->version->to_string())->version !=
        type->version)
      __builtin_trap();
  constexpr wpt::Version kRequested{3, 1, 0};
  for (const fetch::HttpHead& head : {fetch::HttpHead{.content_type = text}, fetch::HttpHead{.redirect_type = text}})
    if (const auto version = client::version_of_body(head, kRequested))
      if (version->major_part != kRequested.major_part) __builtin_trap();
  return 0;
}
