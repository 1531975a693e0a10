#include "service/worker_ids.hpp"

#include "fetch/stated_ids.hpp"
#include "service/worker_file.hpp"

namespace symcached::service {
namespace {

using Ids = std::expected<std::vector<sources::FileRequest>, fetch::FileError>;

Task<Ids> read_ids(RunJob run, LimitRules limits, int file, std::uint64_t offset, std::uint64_t size) {
  const auto own = reopen(file);
  if (!own) co_return std::unexpected(own.error());
  worker::Job job{.kind = static_cast<std::uint32_t>(JobKind::state_ids),
                  .arguments = Extent{offset, size}.text(),
                  .limits = limits_for(size, limits)};
  job.inputs.push_back({*own, offset != 0});
  worker::Sink sink = [](Bytes) { return std::expected<void, std::string>(); };
  Task<worker::Result> running = run(std::move(job), std::move(sink));
  const worker::Result result = co_await std::move(running);
  const auto note = note_of(result);
  if (!note) co_return std::unexpected(note.error());
  auto ids = fetch::parse_stated(*note);
  if (!ids) co_return std::unexpected(fetch::FileError{true, "the worker's answer cannot be read"});
  co_return std::move(*ids);
}

}  // namespace

fetch::ReadIds ids_by_workers(RunJob run, LimitRules limits) {
  return [run = std::move(run), limits](int file, std::uint64_t offset, std::uint64_t size) {
    return read_ids(run, limits, file, offset, size);
  };
}

}  // namespace symcached::service
