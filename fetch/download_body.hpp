#pragma once
/// What has come of one file, over as many requests as it takes.
#include <cstdint>
#include <expected>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "fetch/body_digest.hpp"
#include "fetch/hop.hpp"

namespace symcached::fetch {

/// "bytes 10-19/100"
struct ContentRange {
  std::uint64_t first = 0, last = 0;
  std::optional<std::uint64_t> total = {};  ///< "*": not known

  static std::optional<ContentRange> parse(std::string_view text);
};

/// Lives in a shared_ptr: its requests hold it. One request at a time.
class DownloadBody : public std::enable_shared_from_this<DownloadBody> {
 public:
  static constexpr std::uint64_t kToTheEnd = std::numeric_limits<std::uint64_t>::max();

  /// All of a file.
  /// @param open      called with the head of the first answer, and again when the file starts anew: what the sink of
  ///                  before was given is then worth nothing
  /// @param max_size  bytes
  DownloadBody(OpenSink open, std::uint64_t max_size) : open_(std::move(open)), max_size_(max_size) {}
  /// The bytes [from, until) of the file that `whole` is the start of.
  DownloadBody(const DownloadBody& whole, OpenSink open, std::uint64_t from, std::uint64_t until)
      : open_(std::move(open)),
        max_size_(whole.max_size_),
        from_(from),
        until_(until),
        at_(from),
        head_(whole.head_),
        total_(whole.total_) {}

  /// A file of so many bytes or more is cut off after the first `part` of it, where the server sends ranges:
  /// is_split().
  void split_from(std::uint64_t size, std::uint64_t part) {
    split_size_ = size;
    split_part_ = part;
  }

  /// A file of so many bytes or more is cut off after the first `start` of it: is_paused().
  void pause_from(std::uint64_t size, std::uint64_t start) {
    pause_size_ = size;
    pause_at_ = start;
  }

  /// What came of it before, in another run, counts as if it had come now; but no digest is compared any more.
  /// @param head   of the answer that it started with: status, ETag, length
  /// @param bytes  of the start of the file, 1.., which `rest` goes on after
  void go_on_after(HttpHead head, std::uint64_t bytes, ByteSink rest);
  /// Asks for what is still missing.
  void prepare(HttpRequest& request);
  /// What the request ended in, with a body that is not what was asked for as cut_short, and one over the limit as
  /// too_large. Starts anew where what came so far is no use.
  HttpResult judge(HttpResult result);
  /// Bytes of the next part, in order, when the parts are fetched by bodies of their own.
  std::expected<void, std::string> append(Bytes piece) { return take(piece, kToTheEnd); }
  /// Whether all of it is as its digest says; true if none is stated.
  bool is_sound() const { return !digest_ || digest_->matches(); }
  void start_anew();
  /// The rest comes in one piece, too.
  void do_not_split() {
    split_size_ = kToTheEnd;
    split_ = false;
  }

  /// Never cuts it off again, even if it starts anew.
  void go_on() {
    pause_size_ = kToTheEnd;
    pausing_ = false;
  }

  bool is_paused() const { return pausing_ && at_ == pause_at_; }
  bool is_split() const { return split_; }
  bool ranges_were_ignored() const { return ranges_ignored_; }
  std::uint64_t at() const { return at_; }
  std::uint64_t total() const { return total_.value_or(0); }
  const HttpHead& head() const { return head_; }  ///< of the answer that the file started with

 private:
  bool is_part() const { return from_ != 0 || until_ != kToTheEnd; }
  std::expected<ByteSink, std::string> begin(const HttpHead& head);
  std::expected<ByteSink, std::string> begin_whole(const HttpHead& head);
  std::string objection(const HttpHead& head) const;
  std::expected<void, std::string> take(Bytes piece, std::uint64_t end);
  bool can_split(const HttpHead& head) const;
  bool is_complete() const;
  std::unexpected<std::string> fault(std::string why);

  const OpenSink open_;
  const std::uint64_t max_size_;
  const std::uint64_t from_ = 0, until_ = kToTheEnd;
  std::uint64_t split_size_ = kToTheEnd, split_part_ = 0;
  std::uint64_t pause_size_ = kToTheEnd, pause_at_ = 0;

  std::uint64_t at_ = 0;  ///< position in the file of the next byte
  HttpHead head_;
  std::optional<std::uint64_t> total_;
  std::optional<BodyDigest> digest_;
  ByteSink sink_;

  // Of the request under way.
  bool began_ = false, too_large_ = false, split_ = false, pausing_ = false, ranges_ignored_ = false;
  std::string fault_;
};

}  // namespace symcached::fetch
