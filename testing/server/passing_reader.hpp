#pragma once
/// Reads files as commands do, in this process, but for what a test does differently.
#include "fetch/file_reader.hpp"

namespace symcached::fetch {

class PassingReader : public FileReader {
 public:
  Task<std::expected<void, FileError>> unpack(Wrapper wrapper, int file, std::uint64_t offset, Limits limits,
                                              ByteSink sink) override {
    return reader_of_this_process().unpack(wrapper, file, offset, limits, std::move(sink));
  }
  Task<std::expected<std::string, FileError>> verify(Wanted wanted, int file, std::uint64_t offset,
                                                     std::uint64_t size) override {
    return reader_of_this_process().verify(std::move(wanted), file, offset, size);
  }
  Task<std::expected<Ids, FileError>> state_ids(int file, std::uint64_t offset, std::uint64_t size) override {
    return reader_of_this_process().state_ids(file, offset, size);
  }
  Task<std::expected<Glimpse, FileError>> glimpse(int file, std::vector<FilePart> known) override {
    return reader_of_this_process().glimpse(file, std::move(known));
  }
};

}  // namespace symcached::fetch
