#pragma once
/// Temporary files in tmp/: what they are called, and removing those that nobody writes any more.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace symcached::store {

/// What somebody else may still be writing is younger than this.
inline constexpr std::chrono::hours kLeftOverAge{24};

/// "entry-" + the number of the run + "-" + `number`, both as 16 hex digits.
std::string temporary_name(std::uint64_t boot, std::uint64_t number);
bool is_temporary_name(std::string_view name);
bool is_of_run(std::string_view name, std::uint64_t boot);

/// Removes regular files with names of ours that are not of run `boot`; of those, unless `sole_use`, only what is
/// older than kLeftOverAge. Everything else in `tmp` stays as it is. @return how many files were removed
std::size_t remove_left_overs_in(const std::filesystem::path& tmp, std::uint64_t boot, bool sole_use);

}  // namespace symcached::store
