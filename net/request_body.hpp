#pragma once
/// A request body as Beast's parser fills it: kept in memory, or written to a file piece by piece. Private to `net/`.
#include <unistd.h>

#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/http/message.hpp>
#include <cerrno>
#include <optional>
#include <string>

#include "net/http.hpp"

namespace symcached::net {

struct RequestBody {
  struct value_type {
    std::string text;
    std::optional<http::BodyTarget> target;  ///< nothing: in memory
    std::uint64_t size = 0;                  ///< bytes so far
  };

  /// Called by the parser, which has checked that no piece goes beyond the limit.
  class reader {
   public:
    template <bool is_request, class Fields>
    reader(boost::beast::http::header<is_request, Fields>&, value_type& body) : body_(body) {}

    void init(const boost::optional<std::uint64_t>& length, boost::system::error_code& error) {
      if (length && !body_.target) body_.text.reserve(*length);
      error = {};
    }
    template <class Buffers>
    std::size_t put(const Buffers& buffers, boost::system::error_code& error) {
      error = {};
      std::size_t taken = 0;
      for (const auto piece : boost::beast::buffers_range_ref(buffers)) {
        const std::string_view bytes(static_cast<const char*>(piece.data()), piece.size());
        if (!body_.target) body_.text += bytes;
        else error = write_all(body_.target->file->get(), bytes);
        if (error) break;
        taken += bytes.size();
        body_.size += bytes.size();
      }
      return taken;
    }
    void finish(boost::system::error_code& error) { error = {}; }

   private:
    static boost::system::error_code write_all(int file, std::string_view bytes) {
      while (!bytes.empty()) {
        const ssize_t n = ::write(file, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return {n < 0 ? errno : ENOSPC, boost::system::system_category()};
        bytes.remove_prefix(static_cast<std::size_t>(n));
      }
      return {};
    }
    value_type& body_;
  };
};

}  // namespace symcached::net
