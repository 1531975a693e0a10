#pragma once
/// HTTP messages as plain structs. What is on the wire is net/http_server.cpp's business.
#include <any>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/descriptor.hpp"

namespace symcached::http {

using Header = std::pair<std::string, std::string>;
using Headers = std::vector<Header>;

bool same_name(std::string_view a, std::string_view b);  ///< header names: ASCII case does not count

/// Who asks.
struct Principal {
  std::string name;                      ///< "alice@REALM", "DOMAIN\\alice", the name of a token, "anonymous"
  std::string scheme = {};               ///< "kerberos", "ntlm", "basic" or "bearer"; empty: anonymous
  std::vector<std::string> scopes = {};  ///< that it has access to; empty: all
};

/// The connection that requests come over, one after the other.
struct Client {
  std::string address;       ///< without port
  std::string network = {};  ///< of the address, see net/network.hpp: what counts as one client
  std::any kept = {};        ///< what a handler keeps from one request to the next
};

/// Where the body of a request is written while it comes, instead of being kept in memory.
struct BodyTarget {
  std::shared_ptr<const Descriptor> file;  ///< a local one, open for writing; written on at its position
  std::uint64_t max_size = 0;              ///< bytes; beyond it 413
  std::any kept = {};                      ///< for the handler; dropped with the request, whole or not
};
struct StoredBody {
  std::any kept;           ///< of its BodyTarget
  std::uint64_t size = 0;  ///< bytes
};

struct Request {
  std::string method = "GET";
  std::string target = "/";  ///< as on the wire: origin form, or absolute form
  Headers headers = {};
  std::string body = {};                            ///< chunks joined, not unpacked; empty if it is stored
  Client* client = nullptr;                         ///< outlives the answer; null: it came over no connection
  std::shared_ptr<const Principal> principal = {};  ///< null: nobody is asked to log in
  std::optional<StoredBody> stored = {};            ///< a body that came whole and was written to its BodyTarget

  /// @return the first value under that name, without blanks around it; nothing if there is none
  std::optional<std::string_view> header(std::string_view name) const;
  std::size_t count(std::string_view name) const;
  bool is(std::string_view verb) const { return method == verb; }
};

/// What tells that somebody wrote to a file.
struct FileState {
  std::uint64_t size = 0;        ///< bytes
  std::int64_t modified_ns = 0;  ///< since 1970
  bool operator==(const FileState&) const = default;
};

/// Part of an open file, sent without a copy through this program.
struct FileSlice {
  std::shared_ptr<const Descriptor> file;  ///< null if there are `bytes`
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  /// Of a file that others may write to, when its content was looked at: if it is another before all is sent, the end
  /// is not sent and the connection closed, so that no client takes parts of two contents for a whole.
  std::optional<FileState> state = {};
  std::shared_ptr<const std::string> bytes = {};  ///< all of a small file, in memory
};

/// Content-Length, Date and Connection are added when it is sent; the body of an answer to HEAD is left out then.
struct Response {
  unsigned status = 200;
  Headers headers = {};
  std::variant<std::string, FileSlice> body = std::string();

  std::uint64_t body_size() const;
  std::optional<std::string_view> header(std::string_view name) const;
};

/// In memory, up to so many bytes.
struct BodyLimit {
  std::uint64_t max_size = 0;
};

/// What becomes of a body: kept in memory, up to the usual limit or another one; written to a file; or not read at all,
/// as this is the answer.
using BodyPlan = std::variant<std::monostate, BodyLimit, BodyTarget, Response>;

/// One line of plain text.
Response text(unsigned status, std::string_view line, Headers headers = {});
std::string_view reason_phrase(unsigned status);

/// The answer to a GET or HEAD of `whole`: 200, 206, 304 or 416, by Range, If-Range and If-None-Match.
/// @param etag     with its quotes, strong
/// @param headers  sent with every one of these answers but 416; Content-Type is left out of a 304
Response file_response(const Request& request, FileSlice whole, const std::string& etag, Headers headers);

/// The path of a request target: without query and fragment, without scheme and host, dot segments resolved
/// (RFC 3986, 5.2.4), still percent-encoded, split at '/'. "/a/../b/" gives "b", "". Nothing if it has no path.
std::optional<std::vector<std::string>> path_segments(std::string_view target);

/// One round of percent-decoding; '+' stays. Nothing if a '%' is not followed by two hex digits.
std::optional<std::string> percent_decode(std::string_view text);
/// Everything but unreserved characters becomes %XX.
std::string percent_encode(std::string_view text);
/// The same, slashes as they are.
std::string percent_encode_path(std::string_view path);

}  // namespace symcached::http
