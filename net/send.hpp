#pragma once
/// Bytes and files onto a connection, waiting for the peer as a coroutine does.
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <string_view>

#include "net/http.hpp"
#include "net/task.hpp"

namespace symcached::net {

/// Called before each wait for the peer: the place to put the deadline further off.
using Progress = std::function<void()>;

/// @param more  more is to follow at once; the kernel may keep the bytes back to fill a segment
/// @return false when the connection broke. `text`, `socket` and `progress` outlive the call.
Task<bool> send_text(boost::asio::ip::tcp::socket& socket, std::string_view text, bool more, const Progress& progress);

/// By sendfile(2): the bytes do not pass through this program. Other connections of the thread get their turn between
/// pieces. @return false when the connection broke or the file is shorter than it said.
Task<bool> send_file(boost::asio::ip::tcp::socket& socket, http::FileSlice slice, const Progress& progress);

}  // namespace symcached::net
