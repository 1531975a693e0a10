#include "fetch/download_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace symcached::fetch {
namespace {

using End = HttpResult::End;

bool is_encoded(const HttpHead& head) {
  return !head.content_encoding.empty() && !http::same_name(head.content_encoding, "identity");
}

/// For If-Range: a strong ETag, or a date. Empty: what comes later cannot be told to be of the same file.
std::string validator_of(const HttpHead& head) {
  if (head.etag.starts_with('"')) return head.etag;
  return head.etag.empty() ? head.last_modified : std::string();
}

std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  return number;
}

bool take_text(std::string_view& text, std::string_view wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(wanted.size());
  return true;
}

}  // namespace

std::optional<ContentRange> ContentRange::parse(std::string_view text) {
  ContentRange range;
  if (!take_text(text, "bytes ")) return std::nullopt;
  const auto first = take_number(text);
  if (!first || !take_text(text, "-")) return std::nullopt;
  const auto last = take_number(text);
  if (!last || *last < *first || *last == DownloadBody::kToTheEnd || !take_text(text, "/")) return std::nullopt;
  range.first = *first;
  range.last = *last;
  if (text == "*") return range;
  range.total = take_number(text);
  if (!range.total || !text.empty() || *range.total <= range.last) return std::nullopt;
  return range;
}

void DownloadBody::prepare(HttpRequest& request) {
  began_ = too_large_ = ranges_ignored_ = false;
  fault_.clear();
  if (at_ != from_ && validator_of(head_).empty()) start_anew();
  request.partial = at_ != 0 || until_ != kToTheEnd;
  if (request.partial) {
    const std::string last = until_ == kToTheEnd ? std::string() : std::to_string(until_ - 1);
    request.headers.emplace_back("Range", fmt::format("bytes={}-{}", at_, last));
    request.headers.emplace_back("If-Range", validator_of(head_));
  }
  request.open_sink = [self = shared_from_this()](const HttpHead& head) { return self->begin(head); };
}

void DownloadBody::go_on_after(HttpHead head, std::uint64_t bytes, ByteSink rest) {
  head_ = std::move(head);
  std::string_view length = head_.length;
  total_ = take_number(length);
  at_ = bytes;
  sink_ = std::move(rest);
}

void DownloadBody::start_anew() {
  at_ = from_;
  split_ = pausing_ = false;
  sink_ = nullptr;
  if (!is_part()) total_.reset();
}

std::unexpected<std::string> DownloadBody::fault(std::string why) {
  fault_ = why;
  return std::unexpected(std::move(why));
}

std::expected<ByteSink, std::string> DownloadBody::begin(const HttpHead& head) {
  began_ = true;
  if (head.status == 200) return begin_whole(head);
  if (auto why = objection(head); !why.empty()) return fault(std::move(why));
  const ContentRange range = *ContentRange::parse(head.content_range);
  if (!sink_) {  // a part of its own
    auto opened = open_(head);
    if (!opened) return std::unexpected(std::move(opened.error()));
    sink_ = std::move(*opened);
  }
  return ByteSink([this, end = range.last + 1](Bytes piece) { return take(piece, end); });
}

std::expected<ByteSink, std::string> DownloadBody::begin_whole(const HttpHead& head) {
  if (is_part()) {
    ranges_ignored_ = true;
    return fault("sent the whole file for a part of it: it changed, or the server sends no parts");
  }
  start_anew();
  head_ = head;
  if (std::string_view length = head.length; !is_encoded(head)) total_ = take_number(length);
  split_ = can_split(head);
  pausing_ = total_ && *total_ >= pause_size_ && *total_ <= max_size_;
  digest_ = BodyDigest::stated_by(head);
  auto opened = open_(head);
  if (!opened) return std::unexpected(std::move(opened.error()));
  sink_ = std::move(*opened);
  return ByteSink([this](Bytes piece) { return take(piece, kToTheEnd); });
}

/// What is wrong with a 206; empty if it goes on where the file broke off.
std::string DownloadBody::objection(const HttpHead& head) const {
  const auto range = ContentRange::parse(head.content_range);
  if (!range) return "a part of a file without a proper Content-Range";
  if (range->first != at_) return fmt::format("sent the part from byte {}, not from {}", range->first, at_);
  if (range->last >= until_) return fmt::format("sent a part up to byte {}, not {}", range->last, until_ - 1);
  if (total_ && range->total && *range->total != *total_) return "the file changed while it was downloaded (its size)";
  if (!head.etag.empty() && !head_.etag.empty() && head.etag != head_.etag)
    return "the file changed while it was downloaded (its ETag)";
  return is_encoded(head) ? "sent a part of a file encoded" : "";
}

bool DownloadBody::can_split(const HttpHead& head) const {
  return total_ && *total_ >= split_size_ && *total_ <= max_size_ && http::same_name(head.accept_ranges, "bytes") &&
         !validator_of(head).empty();
}

/// @param end  of the part that is being sent
std::expected<void, std::string> DownloadBody::take(Bytes piece, std::uint64_t end) {
  const std::uint64_t stop = pausing_ ? pause_at_ : split_ && at_ < split_part_ ? split_part_ : kToTheEnd;
  const Bytes wanted = piece.first(static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), stop - at_)));
  if (wanted.size() > end - at_) return fault("sent more than the part it announced");
  too_large_ = wanted.size() > max_size_ - std::min(at_, max_size_);
  if (too_large_) return std::unexpected(fmt::format("larger than the limit of {} bytes", max_size_));
  if (digest_) digest_->update(wanted);
  at_ += wanted.size();
  if (auto taken = sink_(wanted); !taken) return taken;
  if (at_ == stop) return std::unexpected("the rest comes later");
  return {};
}

bool DownloadBody::is_complete() const {
  if (is_part()) return at_ == std::min(until_, total_.value_or(until_));
  return !total_ || at_ == *total_;
}

HttpResult DownloadBody::judge(HttpResult result) {
  const auto cut_short = [&](std::string why) {
    result.end = End::cut_short;
    result.error = std::move(why);
  };
  if (too_large_) {
    result.end = End::too_large;
    return result;
  }
  if (is_paused() || (split_ && at_ == split_part_)) {
    result.end = End::answered;
    return result;
  }
  if (!fault_.empty() || result.head.status == 416) {
    cut_short(fault_.empty() ? "the file is shorter than it was" : fault_);
    start_anew();
    return result;
  }
  const bool is_body = result.end == End::answered && (result.head.status == 200 || result.head.status == 206);
  if (!is_body) return result;
  if (!began_) {  // an empty body
    if (auto opened = begin(result.head); !opened) {
      result.end = fault_.empty() ? End::exhausted : End::cut_short;
      result.error = opened.error();
      if (!fault_.empty()) start_anew();
      return result;
    }
  }
  if (!is_complete()) cut_short(fmt::format("{} bytes came, {} were announced", at_, total_.value_or(until_)));
  else if (!is_part() && !is_sound()) {
    cut_short("differs from the digest it was sent with");
    start_anew();
  }
  return result;
}

}  // namespace symcached::fetch
