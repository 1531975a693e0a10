/// What docs/demangling.md promises for every name, tried on the worst that is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "demangle/demangle.hpp"
#include "demangle/hostile_names.hpp"

namespace symcached::demangle {
namespace {

constexpr std::size_t kStored = 12;  ///< how bad the stored inputs are: enough to show a fuzzer the way
constexpr const char* kCorpus = "demangle/fuzz_corpus/demangle_fuzz";

TEST(Hostile, NoNameCostsMoreThanTheBounds) {
  for (const HostileShape& shape : kHostileShapes) {
    for (const std::size_t n : {30u, 300u, 1000u, 3000u, 10'000u, 21'000u, 60'000u}) {
      std::string name = shape.make(n);
      for (const std::size_t size : {kMaxInput, kMaxMicrosoftInput}) {
        if (name.size() > size) name.resize(size);
        for (const Detail detail : {Detail::full, Detail::no_parameters, Detail::symbolicator}) {
          const auto begin = std::chrono::steady_clock::now();
          const std::string text = demangle(name, detail);
          const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
          EXPECT_LE(text.size(), kMaxOutput) << shape.name << " " << n;
          EXPECT_LT(took.count(), 5) << shape.name << " " << n << ": seconds, on a busy machine with sanitizers";
        }
      }
    }
  }
}

TEST(Hostile, WhatPassesABoundStaysAsItIs) {
  const std::string names[] = {
      itanium_doubling(40),
      itanium_chain(5000),
      msvc_templates(60),
      msvc_parameters(30),
      rust_doubling(40),
      rust_punycode(2000),
      "_Z1f" + repeated("P", kMaxInput) + "i",
      "?f@@YAX" + repeated("PA", kMaxMicrosoftInput) + "H@Z",
      "_Z1f" + repeated("1AI", 4000) + "i" + repeated("E", 4000),
  };
  for (const std::string& name : names) {
    EXPECT_TRUE(demangle(name) == name) << name.substr(0, 60);
    EXPECT_EQ(demangle("_Z1fi"), "f(int)") << "after " << name.substr(0, 60);
    EXPECT_EQ(demangle("?f@@YAXH@Z"), "f(int)") << "after " << name.substr(0, 60);
  }
}

/// A template may nest 1,024 deep by the compilers' own limit.
TEST(Hostile, WhatCompilersAllowIsWithinTheBounds) {
  const std::string nested = "_Z1f" + repeated("1AI", 1024) + "i" + repeated("E", 1024);
  EXPECT_EQ(demangle(nested), "f(" + repeated("A<", 1024) + "int" + repeated(">", 1024) + ")");
  const std::string list = "_Z1f1LI" + repeated("iS_I", 1023) + "ii" + repeated("E", 1024);
  EXPECT_EQ(demangle(list), "f(" + repeated("L<int, ", 1023) + "L<int, int" + repeated(">", 1024) + ")");
  const std::string long_name = "_Z60000" + std::string(60'000, 'a') + "v";
  EXPECT_EQ(demangle(long_name), std::string(60'000, 'a') + "()");
  const std::string msvc = "?f@@YAX" + repeated("U?$A@", 400) + "H" + repeated("@@", 400) + "@Z";
  EXPECT_EQ(demangle(msvc), "f(" + repeated("struct A<", 400) + "int" + repeated(">", 400) + ")");
}

/// SC_WRITE_FUZZ_CORPUS=1 writes them.
TEST(DemangleFuzzCorpus, IsWhatTheShapesMake) {
  const bool write = std::getenv("SC_WRITE_FUZZ_CORPUS") != nullptr;
  std::filesystem::create_directories(kCorpus);
  std::size_t index = 0;
  for (const HostileShape& shape : kHostileShapes) {
    if (index++ % 2 != 0) continue;
    const std::filesystem::path path = std::filesystem::path(kCorpus) / shape.name;
    if (write) std::ofstream(path, std::ios::binary) << shape.make(kStored);
    std::ifstream in(path, std::ios::binary);
    EXPECT_EQ((std::string{std::istreambuf_iterator<char>(in), {}}), shape.make(kStored)) << path;
  }
}

}  // namespace
}  // namespace symcached::demangle
