#pragma once
/// The pages of libsymcached_pprof in a server that uses Boost.Beast.
///
///     if (symcached::pprof::is_page(target)) return symcached::pprof::beast_response(request);
///
/// A profile blocks the thread for as long as it is asked to, so call it where that does no harm, such as from
/// boost::asio::thread_pool.
#include <symcached/pprof.hpp>

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

namespace symcached::pprof {
inline namespace v0 {

/// @param token      that clients have to send; empty: your server decides who may ask
/// @param canceller  to end the profile when the client is gone
inline boost::beast::http::response<boost::beast::http::string_body> beast_response(
    const boost::beast::http::request<boost::beast::http::string_body>& request, std::string_view token = {},
    const Canceller* canceller = nullptr) {
  namespace http = boost::beast::http;
  const auto view = [](auto text) { return std::string_view(text.data(), text.size()); };
  Request asked;
  asked.method = view(request.method_string());
  asked.target = view(request.target());
  asked.body = request.body();
  asked.accept = view(request[http::field::accept]);
  asked.authorization = view(request[http::field::authorization]);
  asked.token = token;
  asked.canceller = canceller;
  const Response page = handle(asked);
  http::response<http::string_body> response;
  response.result(static_cast<unsigned>(page.status()));
  response.version(request.version());
  response.keep_alive(request.keep_alive());
  for (const auto& [name, value] : page.headers()) response.insert(name, value);
  response.content_length(page.body().size());  // to HEAD, too
  if (request.method() != http::verb::head) response.body() = page.body();
  return response;
}

}  // namespace v0
}  // namespace symcached::pprof
