#include "fetch/transfer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace symcached::fetch {

using End = HttpResult::End;
using SteadyClock = std::chrono::steady_clock;

namespace {

Limits limits_for(const HttpRequest& request, const Limits& limits) {
  Limits own = request.network ? limits_under(limits, *request.network) : limits;
  if (!request.verb.empty()) own.max_redirects = 0;
  return own;
}

std::string user_agent_for(const HttpRequest& request, const std::string& usual) {
  return request.network ? request.network->user_agent.value_or(usual) : usual;
}

}  // namespace

Limits limits_under(Limits limits, const sources::NetworkRules& rules) {
  const auto milliseconds = [](std::chrono::milliseconds time) {
    return static_cast<long>(std::max<std::int64_t>(1, time.count()));
  };
  if (rules.connect_timeout) limits.connect_timeout_ms = milliseconds(*rules.connect_timeout);
  if (rules.head_timeout) limits.head_timeout_ms = milliseconds(*rules.head_timeout);
  if (rules.download_timeout) limits.total_ms = milliseconds(*rules.download_timeout);
  if (rules.max_download_size) limits.max_download = std::min(limits.max_download, *rules.max_download_size);
  if (rules.max_transfers != 0) limits.max_host_transfers = rules.max_transfers;
  return limits;
}

Transfer::Transfer(HttpRequest request, const Limits& limits, const std::string& user_agent)
    : request_(std::move(request)),
      limits_(limits_for(request_, limits)),
      user_agent_(user_agent_for(request_, user_agent)),
      result_{.end = End::exhausted, .error = "out of memory"} {
  if (auto parsed = parse_target(request_.url)) go_to(first_ = std::move(*parsed));
  else wrong_url_ = fmt::format("invalid URL: {}", parsed.error());
}

/// The sink is gone before the waiter goes on, so that the waiter alone owns what it wrote to.
Transfer::~Transfer() {
  hop_.reset();
  try {
    const auto done = std::exchange(done_, nullptr);
    request_.open_sink = nullptr;
    if (done) done(std::move(result_));
  } catch (...) {  // without memory to answer with, the waiter's coroutine ends with its handler
  }
}

void Transfer::go_to(Target target) {
  now_ = std::move(target);
  place_ = now_.place();
}

CURL* Transfer::start_hop() {
  if (auto why = objection(); !why.empty()) {
    end_with({.end = wrong_url_.empty() ? End::led_astray : End::failed, .error = std::move(why)});
    return nullptr;
  }
  if (redirects_ == 0 && limits_.total_ms != 0)
    deadline_ = SteadyClock::now() + std::chrono::milliseconds(limits_.total_ms);
  hop_ = std::make_unique<Hop>(request_, now_, options_of_hop(), limits_, user_agent_);
  return hop_->handle();
}

/// Why this hop is not even begun; empty if it is. An address that is written out needs no connection to be judged.
std::string Transfer::objection() const {
  if (!wrong_url_.empty()) return wrong_url_;
  const auto address = must_be_public() ? private_address(now_) : std::nullopt;
  return address ? not_public(*address) : std::string();
}

HopOptions Transfer::options_of_hop() const {
  HopOptions options;
  options.own_origin = now_.same_origin(first_);
  options.redirect_type = redirect_type_;
  if (request_.network && request_.network->proxy) {
    options.choose_proxy = true;
    options.proxy = *request_.network->proxy;
  }
  if (must_be_public()) {
    // Whom a proxy asks cannot be seen: texts go without one; for redirects the proxy's owner decides.
    if (!options.choose_proxy && !limits_.public_only) options.proxy = proxy_of(now_.scheme);
    if (limits_.public_only) options.proxy.clear();
    options.choose_proxy = true;
    options.check_peer = options.proxy.empty();
  }
  if (limits_.total_ms != 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - SteadyClock::now()).count();
    options.time_ms = std::max<long>(1, left);
  }
  return options;
}

std::string Transfer::not_public(std::string_view address) const {
  if (!is_foreign())
    return fmt::format("address {} is not on the public internet; only public addresses are allowed", address);
  return fmt::format("redirects to {}, whose address {} is not on the public internet; add it as a source of its own",
                     now_.shown(), address);
}

bool Transfer::finish_hop(CURLcode code) {
  HttpResult result = hop_->result(code);
  const std::string location = result.end == End::answered ? hop_->location() : std::string();
  hop_.reset();
  if (result.end == End::led_astray) result.error = not_public(result.error);
  if (location.empty()) {
    end_with(std::move(result));
    return false;
  }
  if (redirects_ == limits_.max_redirects) {
    end_with({End::led_astray, result.head, fmt::format("more than {} redirects", limits_.max_redirects)});
    return false;
  }
  auto next = redirected(first_, now_, location);
  if (!next) {
    end_with({End::led_astray, result.head, std::move(next.error())});
    return false;
  }
  ++redirects_;
  if (redirect_type_.empty() && !is_web_page(result.head)) redirect_type_ = std::move(result.head.content_type);
  go_to(std::move(*next));
  return true;
}

void Transfer::give_up(End end, const char* why) noexcept {
  result_.end = end;
  result_.head = {};
  try {
    result_.error = why;
  } catch (...) {
    result_.error.clear();
  }
}

}  // namespace symcached::fetch
