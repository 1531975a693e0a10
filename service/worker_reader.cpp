#include "service/worker_reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "base/descriptor.hpp"
#include "base/overloaded.hpp"
#include "fetch/stated_ids.hpp"
#include "fetch/verify.hpp"
#include "worker/channel.hpp"

namespace symcached::service {
namespace {

using fetch::FileError;
using Note = std::expected<std::string, FileError>;

/// A job over `file`, which is opened anew, for reading alone: it may be an entry that is being written.
std::expected<worker::Job, FileError> job_over(int file, bool is_entry, JobKind kind, std::string arguments,
                                               worker::Limits limits) {
  const std::string path = fmt::format("/proc/self/fd/{}", file);
  auto own = std::make_shared<const Descriptor>(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!*own) return std::unexpected(FileError{true, std::strerror(errno)});
  worker::Job job{
      .kind = static_cast<std::uint32_t>(kind), .arguments = std::move(arguments), .inputs = {}, .limits = limits};
  job.inputs.push_back({std::move(own), is_entry});
  return job;
}

std::expected<std::uint64_t, FileError> size_of(int file) {
  struct stat info{};
  if (::fstat(file, &info) != 0) return std::unexpected(FileError{true, std::strerror(errno)});
  return static_cast<std::uint64_t>(info.st_size);
}

Note note_of(const worker::Result& result) {
  const auto bad = [](std::string why) -> Note { return std::unexpected(FileError{false, std::move(why)}); };
  const auto ours = [](std::string why) -> Note { return std::unexpected(FileError{true, std::move(why)}); };
  return std::visit(overloaded{[](const worker::Done& d) { return Note(d.note); },
                               [&](const worker::Refused& r) { return bad(r.why); },
                               [&](const worker::Died& d) { return bad("the worker " + d.why); },
                               [&](const worker::Changed& c) { return bad(c.why); },
                               [&](const worker::SinkFailed& s) { return ours(s.why); },
                               [&](const worker::NotRun& n) { return ours(n.why); }},
                    result);
}

/// What a worker's note says.
/// @param parsed  nothing: it was not made as notes are
template <class T>
std::expected<T, FileError> answer_of(std::optional<T> parsed) {
  if (!parsed) return std::unexpected(FileError{true, "the worker's answer cannot be read"});
  return std::move(*parsed);
}

}  // namespace

Task<std::expected<void, FileError>> WorkerReader::unpack(fetch::Wrapper wrapper, int file, std::uint64_t offset,
                                                          fetch::Limits limits, ByteSink sink) {
  const auto size = size_of(file);
  if (!size) co_return std::unexpected(size.error());
  worker::Limits allowed = limits_for(*size, limits_);
  allowed.max_output = limits.max_unpacked;
  std::string arguments =
      fmt::format("{} {} {} {}", static_cast<unsigned>(wrapper), offset, limits.max_unpacked, limits.max_ratio);
  auto job = job_over(file, true, JobKind::unpack, std::move(arguments), allowed);
  if (!job) co_return std::unexpected(std::move(job.error()));
  Task<worker::Result> running = run_(std::move(*job), std::move(sink));
  const worker::Result result = co_await std::move(running);
  const Note note = note_of(result);
  if (note) co_return std::expected<void, FileError>();
  const bool is_prefixed = note.error().ours || std::holds_alternative<worker::Refused>(result);
  std::string why = is_prefixed ? note.error().why : fmt::format("{}: {}", name_of(wrapper), note.error().why);
  co_return std::unexpected(FileError{note.error().ours, std::move(why)});
}

Task<Note> WorkerReader::verify(fetch::Wanted wanted, int file, std::uint64_t offset, std::uint64_t size) {
  if (!fetch::is_verified(wanted.file.type)) co_return std::string();
  const VerifyOrder order{wanted.file.type, {offset, size}, wanted.file.module};
  std::string arguments = order.text();
  if (arguments.size() > worker::kMaxText)
    co_return std::unexpected(FileError{false, "was asked for with too many checksums"});
  co_return co_await ask(JobKind::verify, std::move(arguments), file, size, offset != 0);
}

Task<std::expected<WorkerReader::Ids, FileError>> WorkerReader::state_ids(int file, std::uint64_t offset,
                                                                          std::uint64_t size) {
  const Extent extent{offset, size};
  const Note note = co_await ask(JobKind::state_ids, extent.text(), file, size, offset != 0);
  if (!note) co_return std::unexpected(note.error());
  co_return answer_of(fetch::parse_stated(*note));
}

Task<std::expected<fetch::Glimpse, FileError>> WorkerReader::glimpse(int file, std::vector<fetch::FilePart> known) {
  const auto size = size_of(file);
  if (!size) co_return std::unexpected(size.error());
  const Note note = co_await ask(JobKind::glimpse, text_of(known), file, *size, true);
  if (!note) co_return std::unexpected(note.error());
  co_return answer_of(fetch::Glimpse::parse(*note));
}

Task<Note> WorkerReader::ask(JobKind kind, std::string arguments, int file, std::uint64_t size, bool is_entry) {
  auto job = job_over(file, is_entry, kind, std::move(arguments), limits_for(size, limits_));
  if (!job) co_return std::unexpected(std::move(job.error()));
  worker::Sink sink = [](Bytes) { return std::expected<void, std::string>(); };
  Task<worker::Result> running = run_(std::move(*job), std::move(sink));
  const worker::Result result = co_await std::move(running);
  co_return note_of(result);
}

}  // namespace symcached::service
