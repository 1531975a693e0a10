#include "service/worker_reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/overloaded.hpp"
#include "fetch/verify.hpp"

namespace symcached::service {

using fetch::FileError;

Task<std::expected<void, FileError>> WorkerReader::unpack(fetch::Wrapper wrapper, int file, std::uint64_t offset,
                                                          fetch::Limits limits, ByteSink sink) {
  // Opened anew, for reading alone: the descriptor may be that of an entry being written.
  const std::string path = fmt::format("/proc/self/fd/{}", file);
  const auto own = std::make_shared<const Descriptor>(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info{};
  if (!*own || ::fstat(own->get(), &info) != 0) co_return std::unexpected(FileError{true, std::strerror(errno)});
  worker::Job job{.kind = static_cast<std::uint32_t>(JobKind::unpack),
                  .arguments = fmt::format("{} {} {} {}", static_cast<unsigned>(wrapper), offset, limits.max_unpacked,
                                           limits.max_ratio),
                  .limits = limits_for(static_cast<std::uint64_t>(info.st_size), limits_)};
  job.inputs.push_back({own, true});
  job.limits.max_output = limits.max_unpacked;
  Task<worker::Result> running = run_(std::move(job), std::move(sink));
  const worker::Result result = co_await std::move(running);
  using Unpacked = std::expected<void, FileError>;
  const auto bad = [](std::string why) -> Unpacked { return std::unexpected(FileError{false, std::move(why)}); };
  const auto ours = [](std::string why) -> Unpacked { return std::unexpected(FileError{true, std::move(why)}); };
  co_return std::visit(
      overloaded{[](const worker::Done&) { return Unpacked(); }, [&](const worker::Refused& r) { return bad(r.why); },
                 [&](const worker::Died& d) { return bad(fmt::format("{}: the worker {}", name_of(wrapper), d.why)); },
                 [&](const worker::Changed& c) { return bad(fmt::format("{}: {}", name_of(wrapper), c.why)); },
                 [&](const worker::SinkFailed& s) { return ours(s.why); },
                 [&](const worker::NotRun& n) { return ours(n.why); }},
      result);
}

Task<std::expected<std::string, FileError>> WorkerReader::verify(fetch::Wanted wanted, int, std::uint64_t,
                                                                 std::uint64_t) {
  if (!fetch::is_verified(wanted.file.type)) co_return std::string();
  co_return std::unexpected(FileError{true, "only native PDBs are fetched for requests"});
}

}  // namespace symcached::service
