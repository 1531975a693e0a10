#pragma once
/// Keeps stored fuzz inputs equal to what a test assembles. With SC_WRITE_FUZZ_CORPUS set in the environment the test
/// writes them; without it a difference is a failure. Run from the root of the repository.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace symcached::testkit {

struct StoredInput {
  std::string_view name;
  std::vector<std::byte> bytes;
};

inline void expect_stored(const std::filesystem::path& folder, std::span<const StoredInput> inputs) {
  const bool write = std::getenv("SC_WRITE_FUZZ_CORPUS") != nullptr;
  if (write) std::filesystem::create_directories(folder);
  for (const StoredInput& input : inputs) {
    const std::string_view want = as_text(input.bytes);
    const auto path = folder / input.name;
    if (write) std::ofstream(path, std::ios::binary).write(want.data(), static_cast<std::streamsize>(want.size()));
    std::ifstream in(path, std::ios::binary);
    const std::string found{std::istreambuf_iterator<char>(in), {}};
    EXPECT_TRUE(found == want) << path << " is not what the test assembles";
  }
}

}  // namespace symcached::testkit
