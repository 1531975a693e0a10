#pragma once
/// A server of one file that does what servers do wrong, request by request.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "testing/server/raw_upstream.hpp"

namespace symcached {

class FaultyUpstream {
 public:
  /// How one request is answered. All numbers are of bytes of the body.
  struct Fault {
    unsigned status = 0;                        ///< 0: 200, or 206 where a range is asked for
    std::vector<std::string> headers = {};      ///< "Retry-After: 2"
    std::optional<std::size_t> reset_at = {};   ///< the connection is reset after so many
    std::optional<std::size_t> close_at = {};   ///< closed
    std::optional<std::size_t> silent_at = {};  ///< nothing more comes
    bool no_answer = false;                     ///< not even a head
    bool reset_before_head = false;
    bool ignore_range = false;                ///< 200 and the whole file
    long range_moved_by = 0;                  ///< of what the 206 says it sends
    std::optional<std::string> etag = {};     ///< another one than usual
    std::optional<std::string> content = {};  ///< another file than usual
    std::optional<std::size_t> length = {};   ///< a wrong Content-Length
  };

  explicit FaultyUpstream(std::string content, std::vector<Fault> faults = {}, std::vector<std::string> headers = {})
      : content_(std::move(content)),
        faults_(std::move(faults)),
        headers_(std::move(headers)),
        server_([this](RawPeer& peer, const std::string& head) { return answer(peer, head); }) {}
  ~FaultyUpstream() {
    const std::scoped_lock lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }

  std::string url() const { return server_.url(); }
  std::size_t requests() const {
    const std::scoped_lock lock(mutex_);
    return heads_.size();
  }
  /// Values of a header in all requests so far; "-" where there was none.
  std::vector<std::string> values(const std::string& name) const {
    const std::scoped_lock lock(mutex_);
    std::vector<std::string> all;
    for (const std::string& head : heads_) all.push_back(value_in(head, name).value_or("-"));
    return all;
  }

 private:
  static std::optional<std::string> value_in(const std::string& head, const std::string& name) {
    const std::size_t at = head.find("\r\n" + name + ": ");
    if (at == std::string::npos) return std::nullopt;
    const std::size_t start = at + name.size() + 4;
    return head.substr(start, head.find("\r\n", start) - start);
  }

  bool answer(RawPeer& peer, const std::string& head) {
    Fault fault;
    {
      const std::scoped_lock lock(mutex_);
      if (heads_.size() < faults_.size()) fault = faults_[heads_.size()];
      heads_.push_back(head);
    }
    if (fault.reset_before_head) return peer.reset(), false;
    if (fault.no_answer) return wait_for_the_end();
    return send(peer, head, fault);
  }

  bool send(RawPeer& peer, const std::string& head, const Fault& fault) {
    const std::string& content = fault.content ? *fault.content : content_;
    const std::string etag = fault.etag.value_or("\"one\"");
    const auto asked = value_in(head, "Range");
    const auto validator = value_in(head, "If-Range");
    const bool partial = fault.status == 0 && asked && !fault.ignore_range && (!validator || *validator == etag);
    std::size_t first = 0, last = content.size();
    if (partial) {
      const std::size_t dash = asked->find('-');
      first = std::stoul(asked->substr(6));
      if (dash + 1 < asked->size()) last = std::min(last, std::stoul(asked->substr(dash + 1)) + 1);
    }
    std::string body = content.substr(first, last - first);
    if (fault.status >= 300) body = "an error";
    const unsigned status = fault.status != 0 ? fault.status : partial ? 206 : 200;
    std::string text = "HTTP/1.1 " + std::to_string(status) + " S\r\nETag: " + etag + "\r\nAccept-Ranges: bytes\r\n";
    text += "Content-Length: " + std::to_string(fault.length.value_or(body.size())) + "\r\n";
    if (partial)
      text += "Content-Range: bytes " + std::to_string(static_cast<long>(first) + fault.range_moved_by) + "-" +
              std::to_string(static_cast<long>(last) - 1 + fault.range_moved_by) + "/" +
              std::to_string(content.size()) + "\r\n";
    for (const auto& more : {headers_, fault.headers})
      for (const std::string& line : more) text += line + "\r\n";
    const std::size_t most = std::min({fault.reset_at.value_or(body.size()), fault.close_at.value_or(body.size()),
                                       fault.silent_at.value_or(body.size())});
    if (!peer.say(text + "\r\n" + body.substr(0, most))) return false;
    if (fault.silent_at) return wait_for_the_end();
    if (fault.reset_at) {
      peer.drain();
      peer.reset();
    }
    return !fault.reset_at && !fault.close_at && !fault.length;
  }

  bool wait_for_the_end() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return over_; });
    return false;
  }

  const std::string content_;
  const std::vector<Fault> faults_;  ///< of the first requests; what comes after them is answered well
  const std::vector<std::string> headers_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::vector<std::string> heads_;
  RawUpstream server_;  ///< goes first
};

}  // namespace symcached
