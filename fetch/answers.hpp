#pragma once
/// What the answers of object stores and plain servers mean. Specs: "Error responses" of the Amazon S3 API reference,
/// "Blob service error codes" of Azure Storage, "HTTP status and error codes for XML" of Cloud Storage.
#include <cstdint>
#include <string_view>

namespace symcached::fetch {

enum class Meaning : std::uint8_t {
  there,  ///< 200 or 206
  not_there,
  forbidden,  ///< the credentials do not give it, or the source is set up wrongly. S3 and Cloud Storage say this of a
              ///< missing file, too, to who may not list the bucket
  transient,  ///< it may be better later
};

inline constexpr std::size_t kErrorBody = 64 << 10;  ///< bytes of a body that are looked at

/// The code in the XML of an error: "NoSuchKey". Empty if there is none.
std::string_view error_code_in(std::string_view body);

/// @param body        its start: HttpResult::other_body
/// @param error_code  HttpHead::error_code; empty: the one in the body
Meaning meaning_of(unsigned status, std::string_view body, std::string_view error_code = {});

}  // namespace symcached::fetch
