#include "worker/file_state.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

namespace symcached::worker {

std::vector<FileState> states_of(std::span<const Input> inputs) {
  std::vector<FileState> states;
  for (const Input& input : inputs) {
    struct stat info{};
    FileState state;
    if (::fstat(input.file->get(), &info) == 0) {
      state.size = info.st_size;
      if (!input.may_be_touched) state.modified_ns = info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec;
    }
    states.push_back(state);
  }
  return states;
}

std::string change_since(std::span<const FileState> before, std::span<const Input> inputs) {
  const std::vector<FileState> now = states_of(inputs);
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i].size != before[i].size)
      return fmt::format("size changed from {} to {} bytes while being read", before[i].size, now[i].size);
    if (now[i] != before[i]) return "modified while being read";
  }
  return {};
}

}  // namespace symcached::worker
