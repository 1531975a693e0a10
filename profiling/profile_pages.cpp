#include "profiling/profile_pages.hpp"

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>

#include "base/bytes.hpp"
#include "profiling/legacy.hpp"
#include "profiling/profile_math.hpp"
#include "profiling/proto.hpp"
#include "profiling/text.hpp"

namespace symcached::pprof {
namespace {

constexpr std::uint64_t kMostSeconds = 3600;
constexpr std::uint64_t kUsualSeconds = 30;
constexpr std::uint64_t kMostFrequency = 4000;
constexpr std::uint64_t kMostPeriod = 1'000'000'000'000;
constexpr int kHighestDebug = 2;  ///< what Go's pages know; all of them are text here

using Sampler = std::function<Answer<Profile>()>;

struct Shape {
  Form form;
  ProtoOptions proto;
};

/// @param form  what the page has by itself
Answer<Shape> shape_of(Query& query, Form form, bool allocated) {
  SC_TRY(const auto debug, query.number("debug", 0, kHighestDebug));
  SC_TRY(const auto demangle, query.number("demangle", 0, 1));
  if (const auto unknown = query.unknown()) return std::unexpected(*unknown);
  return Shape{debug != 0 ? Form::text : form, {.demangle = demangle != 0, .allocated = allocated}};
}

PageResponse file_page(std::string body, std::string_view name) {
  PageResponse page;
  page.headers = {{"Content-Type", "application/octet-stream"},
                  {"Content-Disposition", "attachment; filename=\"" + std::string(name) + "\""},
                  {"X-Content-Type-Options", "nosniff"},
                  {"Cache-Control", "no-store"}};
  page.body = std::move(body);
  return page;
}

PageResponse rendered(Profile profile, const Shape& shape, std::string_view name, const Sources& sources) {
  const auto modules = sources.modules();
  switch (shape.form) {
    case Form::legacy: return file_page(legacy(profile, modules), name);
    case Form::proto: return file_page(proto(scaled(std::move(profile)), modules, *sources.naming, shape.proto), name);
    case Form::text: break;
  }
  return text_page(profile_text(scaled(std::move(profile)), modules, *sources.naming));
}

/// Reads what all profiles have in common from the rest of the query, then samples.
PageResponse sampled(ProfileRequest request, const Sources& sources, const Sampler& sampler, bool allocated = false) {
  const auto shape = shape_of(request.query, request.form, allocated);
  if (!shape) return refused(shape.error());
  if (request.head_only) return shape->form == Form::text ? text_page("") : file_page("", request.name);
  auto profile = sampler();
  if (!profile) return refused(profile.error());
  return rendered(*std::move(profile), *shape, request.name, sources);
}

std::chrono::milliseconds duration_of(std::optional<std::uint64_t> seconds) {
  return std::chrono::seconds(seconds.value_or(kUsualSeconds));
}

void wait(std::chrono::milliseconds duration, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, duration, [] { return false; });
}

/// What changes in a while.
Answer<Profile> heap_change(const Sources& sources, std::chrono::milliseconds duration, const std::stop_token& stop) {
  const auto began = std::chrono::system_clock::now();
  const auto since = std::chrono::steady_clock::now();
  SC_TRY(Profile before, sources.heap());
  wait(duration, stop);
  SC_TRY(Profile after, sources.heap());
  Profile change = difference(scaled(std::move(before)), scaled(std::move(after)));
  change.period = 1;  // which is not to be scaled again
  change.start = began;
  change.duration = std::chrono::steady_clock::now() - since;
  return change;
}

bool knows_freed(const Profile& profile) {
  return profile.samples.empty() ||
         std::ranges::any_of(profile.samples, [](const Sample& s) { return s.allocated_bytes != 0; });
}

PageResponse memory_page(ProfileRequest request, const Sources& sources, bool allocated) {
  const auto gc = request.query.number("gc", 0, 1);  // of Go: collect garbage first, of which there is none here
  if (!gc) return refused(gc.error());
  if (request.form == Form::legacy) return sampled(std::move(request), sources, sources.heap);
  const auto seconds = request.query.smallest("seconds", kMostSeconds);
  if (!seconds) return refused(seconds.error());
  const Sampler sampler = [&sources, seconds = *seconds, stop = request.stop, allocated]() -> Answer<Profile> {
    auto profile = seconds ? heap_change(sources, std::chrono::seconds(*seconds), stop) : sources.heap();
    if (profile && allocated && !knows_freed(*profile))
      return std::unexpected(Refusal{501,
                                     "the allocator of this program keeps no account of memory that was freed; the "
                                     "page heap has what is in use"});
    return profile;
  };
  return sampled(std::move(request), sources, sampler, allocated);
}

std::string event_list(const Sources& sources) {
  std::string list;
  for (const std::string& event : sources.events()) list += event + "\n";
  return list.empty() ? "no events can be counted here\n" : list;
}

}  // namespace

PageResponse cpu_page(ProfileRequest request, const Sources& sources) {
  const auto seconds = request.query.smallest("seconds", kMostSeconds);
  if (!seconds) return refused(seconds.error());
  const auto frequency = request.query.smallest("frequency", kMostFrequency);
  if (!frequency) return refused(frequency.error());
  CpuOptions options;
  options.duration = duration_of(*seconds);
  options.frequency = static_cast<unsigned>(frequency->value_or(options.frequency));
  const Sampler sampler = [&sources, options, stop = request.stop] { return sources.cpu(options, stop); };
  return sampled(std::move(request), sources, sampler);
}

PageResponse pmu_page(ProfileRequest request, const Sources& sources) {
  const auto list = request.query.number("list", 0, 1);
  if (!list) return refused(list.error());
  const auto event = request.query.text("event");
  if (!event) return refused(event.error());
  const auto period = request.query.smallest("period", kMostPeriod);
  if (!period) return refused(period.error());
  const auto seconds = request.query.smallest("seconds", kMostSeconds);
  if (!seconds) return refused(seconds.error());
  if (*list != 0) return text_page(request.head_only ? "" : event_list(sources));
  if (event->empty())
    return refused({400, "event: none given; write ?event=cpu-clock, or see ?list=1 for those that work here"});
  const PmuOptions options{*event, period->value_or(0), duration_of(*seconds)};
  const Sampler sampler = [&sources, options, stop = request.stop] { return sources.pmu(options, stop); };
  return sampled(std::move(request), sources, sampler);
}

PageResponse heap_page(ProfileRequest request, const Sources& sources) {
  return memory_page(std::move(request), sources, false);
}

PageResponse allocs_page(ProfileRequest request, const Sources& sources) {
  return memory_page(std::move(request), sources, true);
}

PageResponse growth_page(ProfileRequest request, const Sources& sources) {
  return sampled(std::move(request), sources, sources.growth);
}

PageResponse contention_page(ProfileRequest request, const Sources& sources) {
  const auto seconds = request.query.smallest("seconds", kMostSeconds);
  if (!seconds) return refused(seconds.error());
  const Sampler sampler = [&sources, seconds = *seconds, stop = request.stop] {
    std::optional<std::chrono::milliseconds> duration;
    if (seconds) duration = std::chrono::seconds(*seconds);
    return sources.contention(duration, stop);
  };
  return sampled(std::move(request), sources, sampler);
}

PageResponse threads_page(ProfileRequest request, const Sources& sources) {
  return sampled(std::move(request), sources, sources.threads);
}

}  // namespace symcached::pprof
