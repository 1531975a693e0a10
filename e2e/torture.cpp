/// torture [--cuts N] [--flips N] FILE...: damages every file in many ways and derives the cache of each result.
/// Each answer must be a cache or an error that names a field; anything else, a crash above all, is a failure.
/// The damage is the same on every run: cuts at even distances, flips from a fixed seed.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "base/mapped_file.hpp"
#include "object/identify.hpp"
#include "object/managed/files.hpp"
#include "ppdbcache/reader.hpp"
#include "symbolize/derive.hpp"

namespace {

using namespace symcached;

struct Options {
  std::size_t cuts = 200, flips = 2000;
  std::vector<std::string> files;
};

struct Counts {
  std::size_t good = 0, refused = 0, unnamed = 0;
  double slowest = 0;  ///< seconds
};

/// `pdb.dbi.version: …`: lower-case words joined by dots, then a colon.
/// "truncated: 4 of 20 bytes (pe.coff_header at offset 66)"; what is of no known kind has no field.
bool names_a_field(std::string_view message) {
  if (message == "unrecognized format") return true;
  const std::size_t open = message.rfind('(');
  if (open == std::string_view::npos) return false;
  const std::string_view field = message.substr(open + 1, message.find_first_of(" )", open) - open - 1);
  return field.find('.') != std::string_view::npos && std::ranges::all_of(field, [](char c) {
           return c == '.' || c == '_' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
         });
}

/// Why no cache can be made; empty if one was. What `inspect` says is asked for, too.
std::string error_of(Bytes damaged) {
  (void)object::describe(damaged);
  if (!object::is_managed(damaged)) {
    const auto derived = symbolize::derive_symcache({.file = damaged});
    return derived ? std::string() : derived.error();
  }
  const auto derived = symbolize::derive_ppdbcache({.file = damaged});
  if (!derived) return derived.error();
  const auto verified = ppdbcache::Reader::open(derived->file)->verify();
  return verified ? std::string() : "made, and wrong: " + to_string(verified.error());
}

void derive(Bytes damaged, Counts& counts) {
  const auto start = std::chrono::steady_clock::now();
  const std::string error = error_of(damaged);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  counts.slowest = std::max(counts.slowest, took.count());
  ++(error.empty() ? counts.good : counts.refused);
  if (error.empty() || names_a_field(error)) return;
  if (++counts.unnamed <= 5) fmt::print("  names no field: {}\n", error);
}

/// Of the flips every other one lies in the first 64 KiB or the last 256 KiB, where headers and directory are.
std::size_t place_of_flip(std::size_t i, std::size_t size, std::mt19937_64& random) {
  const std::uint64_t number = random();
  if (i % 2 == 0) return number % size;
  if (i % 4 == 1) return number % std::min<std::size_t>(size, 64u << 10);
  return size - 1 - number % std::min<std::size_t>(size, 256u << 10);
}

bool torture(const std::string& path, const Options& options) {
  const auto file = MappedFile::open(path);
  if (!file || file->bytes().empty()) {
    fmt::print("{}: {}\n", path, file ? "empty" : file.error());
    return false;
  }
  const Bytes whole = file->bytes();
  Counts counts;
  derive(whole, counts);
  for (std::size_t i = 0; i < options.cuts; ++i) {
    const std::vector<std::byte> cut(whole.begin(),
                                     whole.begin() + static_cast<std::ptrdiff_t>(whole.size() / options.cuts * i));
    derive(cut, counts);
  }
  std::vector<std::byte> damaged(whole.begin(), whole.end());
  std::mt19937_64 random(20240817);
  for (std::size_t i = 0; i < options.flips; ++i) {
    std::byte& byte = damaged[place_of_flip(i, damaged.size(), random)];
    const std::byte before = byte;
    byte ^= static_cast<std::byte>(1u << random() % 8);
    derive(damaged, counts);
    byte = before;
  }
  fmt::print("{}: {} answered with a cache, {} refused, {} of them without naming a field, slowest {:.2f} s\n", path,
             counts.good, counts.refused, counts.unnamed, counts.slowest);
  std::fflush(stdout);
  return counts.unnamed == 0;
}

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    std::size_t* number = argument == "--cuts" ? &options.cuts : argument == "--flips" ? &options.flips : nullptr;
    if (number == nullptr) {
      options.files.emplace_back(argument);
      continue;
    }
    const std::string_view value = ++i < argc ? argv[i] : "";
    if (std::from_chars(value.data(), value.data() + value.size(), *number).ec != std::errc()) return false;
  }
  return !options.files.empty();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    fmt::print(stderr, "usage: torture [--cuts N] [--flips N] FILE...\n");
    return 2;
  }
  bool good = true;
  for (const std::string& path : options.files) good = torture(path, options) && good;
  return good ? 0 : 1;
}
