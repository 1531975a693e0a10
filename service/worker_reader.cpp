#include "service/worker_reader.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "fetch/verify.hpp"
#include "service/worker_file.hpp"
#include "worker/channel.hpp"

namespace symcached::service {

using fetch::FileError;

Task<std::expected<void, FileError>> WorkerReader::unpack(fetch::Wrapper wrapper, int file, std::uint64_t offset,
                                                          fetch::Limits limits, ByteSink sink) {
  const auto own = reopen(file);
  if (!own) co_return std::unexpected(own.error());
  struct stat info{};
  if (::fstat((*own)->get(), &info) != 0) co_return std::unexpected(FileError{true, std::strerror(errno)});
  worker::Job job{.kind = static_cast<std::uint32_t>(JobKind::unpack),
                  .arguments = fmt::format("{} {} {} {}", static_cast<unsigned>(wrapper), offset, limits.max_unpacked,
                                           limits.max_ratio),
                  .limits = limits_for(static_cast<std::uint64_t>(info.st_size), limits_)};
  job.inputs.push_back({*own, true});
  job.limits.max_output = limits.max_unpacked;
  Task<worker::Result> running = run_(std::move(job), std::move(sink));
  const worker::Result result = co_await std::move(running);
  const auto note = note_of(result);
  if (note) co_return std::expected<void, FileError>();
  const bool is_prefixed = note.error().ours || std::holds_alternative<worker::Refused>(result);
  std::string why = is_prefixed ? note.error().why : fmt::format("{}: {}", name_of(wrapper), note.error().why);
  co_return std::unexpected(FileError{note.error().ours, std::move(why)});
}

Task<std::expected<std::string, FileError>> WorkerReader::verify(fetch::Wanted wanted, int file, std::uint64_t offset,
                                                                 std::uint64_t size) {
  if (!fetch::is_verified(wanted.file.type)) co_return std::string();
  VerifyOrder order{wanted.file.type, {offset, size}, wanted.file.module};
  std::string arguments = order.text();
  if (arguments.size() > worker::kMaxText)
    co_return std::unexpected(FileError{false, "was asked for with too many checksums"});
  const auto own = reopen(file);
  if (!own) co_return std::unexpected(own.error());
  worker::Job job{.kind = static_cast<std::uint32_t>(JobKind::verify),
                  .arguments = std::move(arguments),
                  .limits = limits_for(size, limits_)};
  job.inputs.push_back({*own, offset != 0});
  worker::Sink sink = [](Bytes) { return std::expected<void, std::string>(); };
  Task<worker::Result> running = run_(std::move(job), std::move(sink));
  const worker::Result result = co_await std::move(running);
  co_return note_of(result);
}

Task<std::expected<fetch::Glimpse, FileError>> WorkerReader::glimpse(int file, std::vector<fetch::FilePart> known) {
  const auto own = reopen(file);
  if (!own) co_return std::unexpected(own.error());
  struct stat info{};
  if (::fstat((*own)->get(), &info) != 0) co_return std::unexpected(FileError{true, std::strerror(errno)});
  worker::Job job{.kind = static_cast<std::uint32_t>(JobKind::glimpse),
                  .arguments = text_of(known),
                  .limits = limits_for(static_cast<std::uint64_t>(info.st_size), limits_)};
  job.inputs.push_back({*own, true});
  worker::Sink sink = [](Bytes) { return std::expected<void, std::string>(); };
  Task<worker::Result> running = run_(std::move(job), std::move(sink));
  const worker::Result result = co_await std::move(running);
  const auto note = note_of(result);
  if (!note) co_return std::unexpected(note.error());
  auto glimpse = fetch::Glimpse::parse(*note);
  if (!glimpse) co_return std::unexpected(FileError{true, "the worker's answer cannot be read"});
  co_return std::move(*glimpse);
}

}  // namespace symcached::service
