#include "service/worker_ids.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/overloaded.hpp"
#include "fetch/stated_ids.hpp"

namespace symcached::service {
namespace {

using Ids = std::expected<std::vector<sources::FileRequest>, fetch::FileError>;

Ids failed(bool is_ours, std::string why) { return std::unexpected(fetch::FileError{is_ours, std::move(why)}); }

Ids parse(const worker::Done& done) {
  auto ids = fetch::parse_stated(done.note);
  return ids ? Ids(std::move(*ids)) : failed(true, "the worker's answer cannot be read");
}

Task<Ids> read_ids(RunJob run, LimitRules limits, int file, std::uint64_t offset, std::uint64_t size) {
  // Opened anew, for reading alone: the descriptor may be that of an entry being written.
  const std::string path = fmt::format("/proc/self/fd/{}", file);
  const auto own = std::make_shared<const Descriptor>(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!*own) co_return failed(true, std::strerror(errno));
  worker::Job job{.kind = static_cast<std::uint32_t>(JobKind::state_ids),
                  .arguments = Extent{offset, size}.text(),
                  .limits = limits_for(size, limits)};
  job.inputs.push_back({own, offset != 0});
  worker::Sink sink = [](Bytes) { return std::expected<void, std::string>(); };
  Task<worker::Result> running = run(std::move(job), std::move(sink));
  const worker::Result result = co_await std::move(running);
  co_return std::visit(overloaded{[](const worker::Done& d) { return parse(d); },
                                  [](const worker::Refused& r) { return failed(false, r.why); },
                                  [](const worker::Died& d) { return failed(false, "the worker " + d.why); },
                                  [](const worker::Changed& c) { return failed(false, c.why); },
                                  [](const worker::SinkFailed& s) { return failed(true, s.why); },
                                  [](const worker::NotRun& n) { return failed(true, n.why); }},
                       result);
}

}  // namespace

fetch::ReadIds ids_by_workers(RunJob run, LimitRules limits) {
  return [run = std::move(run), limits](int file, std::uint64_t offset, std::uint64_t size) {
    return read_ids(run, limits, file, offset, size);
  };
}

}  // namespace symcached::service
