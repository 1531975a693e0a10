#include "traces/prefixes.hpp"

#include <gtest/gtest.h>

namespace symcached::traces {
namespace {

TEST(Prefixes, WhatLoggersPutBeforeLines) {
  struct Row {
    std::string_view line, rest;
  };
  const Row rows[] = {
      {"#0 x", "#0 x"},
      {"> > #0 x", "#0 x"},
      {"\x1b[1;31m#0 x", "#0 x"},
      {"[   12.345678] [  T123] #0 x", "#0 x"},
      {"<4>[   12.345678]  #0 x", " #0 x"},
      {"[2026-01-31 12:00:00.123] #0 x", "#0 x"},
      {"Jan 31 12:00:00 host srv[812]: #0 x", "#0 x"},
      {"Jan  1 12:00:00 host kernel: [   12.5]  #0 x", " #0 x"},
      {"2026-01-31T12:00:00.123+0100 host srv[812]: #0 x", "#0 x"},
      {"01-31 12:00:00.123   812   815 F DEBUG   : #0 x", "#0 x"},
      {"F/DEBUG   (  812): #0 x", "#0 x"},
      {"[<ffffffff8107d3c4>] f", "[<ffffffff8107d3c4>] f"},
      {"[lib] f", "[lib] f"},
      {"Jan 31", "Jan 31"},
      {"[", "["},
      {"", ""},
  };
  for (const Row& r : rows) {
    const Beginnings found = beginnings_of(r.line);
    EXPECT_EQ(found.at[0], 0u);
    EXPECT_EQ(r.line.substr(found.at[found.count - 1]), r.rest) << r.line;
  }
}

}  // namespace
}  // namespace symcached::traces
