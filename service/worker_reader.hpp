#pragma once
/// Looks into fetched files by way of a worker, so that this process never reads them. A file that a worker dies of, or
/// that changes meanwhile, is a bad one.
#include "fetch/file_reader.hpp"
#include "service/converter.hpp"

namespace symcached::service {

class WorkerReader : public fetch::FileReader {
 public:
  WorkerReader(RunJob run, LimitRules limits) : run_(std::move(run)), limits_(limits) {}

  Task<std::expected<void, fetch::FileError>> unpack(fetch::Wrapper wrapper, int file, std::uint64_t offset,
                                                     fetch::Limits limits, ByteSink sink) override;
  Task<std::expected<std::string, fetch::FileError>> verify(fetch::Wanted wanted, int file, std::uint64_t offset,
                                                            std::uint64_t size) override;
  Task<std::expected<Ids, fetch::FileError>> state_ids(int file, std::uint64_t offset, std::uint64_t size) override;
  Task<std::expected<fetch::Glimpse, fetch::FileError>> glimpse(int file, std::vector<fetch::FilePart> known) override;

 private:
  /// The note of a job that has no other output.
  /// @param size      bytes that the worker may read, for its limits
  /// @param is_entry  `file` is one of ours, or a part of one
  Task<std::expected<std::string, fetch::FileError>> ask(JobKind kind, std::string arguments, int file,
                                                         std::uint64_t size, bool is_entry);

  const RunJob run_;
  const LimitRules limits_;
};

}  // namespace symcached::service
