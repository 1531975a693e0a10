#include "profiling/naming/code_ranges.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace symcached::pprof {
namespace {

struct Named {
  std::uint64_t begin, end;
  std::string_view name;
  bool is_function = true, is_local = false;
  std::uint64_t most = 0x10000;
};

/// "name@begin-end" of each range, in hex; a frame without a name is "?".
std::string laid_out(std::vector<Named> symbols, std::vector<FrameRange> frames) {
  std::string names(1, '\0');
  std::vector<CodeSymbol> all;
  for (const Named& n : symbols) {
    all.push_back({n.begin, n.end, n.most, static_cast<std::uint32_t>(names.size()), n.is_function, n.is_local});
    names.append(n.name).push_back('\0');
  }
  std::ranges::shuffle(all, std::mt19937(7));
  std::string out;
  char text[64];
  for (const CodeRange& range : lay_out(all, std::move(frames), names)) {
    const std::string name(range.name == CodeRange::kNoName ? "?" : plain_name(names, range.name));
    std::snprintf(text, sizeof(text), "%s%s@%llx-%llx", out.empty() ? "" : " ", name.c_str(),
                  static_cast<unsigned long long>(range.begin),
                  static_cast<unsigned long long>(range.begin + range.size));
    out += text;
  }
  return out;
}

TEST(LayOut, GivesEachAddressOneName) {  // what goes wrong without it: pprof.md, "Right names need"
  struct Row {
    std::string_view why;
    std::vector<Named> symbols;
    std::vector<FrameRange> frames;
    std::string_view want;
  };
  const Row rows[] = {
      {"nothing", {}, {}, ""},
      {"no name reaches over a gap", {{0x10, 0x20, "a"}, {0x40, 0x50, "b"}}, {}, "a@10-20 b@40-50"},
      {"a gap that unwinds is a function", {{0x10, 0x20, "a"}}, {{0x10, 0x20}, {0x20, 0x38}}, "a@10-20 ?@20-38"},
      {"a frame goes on behind a symbol", {{0x10, 0x20, "a"}}, {{0x10, 0x28}}, "a@10-20 ?@20-28"},
      {"the innermost of nested ones", {{0x10, 0x50, "a"}, {0x20, 0x30, "b"}}, {}, "a@10-20 b@20-30 a@30-50"},
      {"the last begun of crossing ones", {{0x10, 0x30, "a"}, {0x20, 0x40, "b"}}, {}, "a@10-20 b@20-40"},
      {"three deep", {{0, 9, "a"}, {1, 8, "b"}, {2, 3, "c"}}, {}, "a@0-1 b@1-2 c@2-3 b@3-8 a@8-9"},
      {"one begins where two end", {{0, 9, "a"}, {5, 9, "b"}, {9, 12, "c"}}, {}, "a@0-5 b@5-9 c@9-c"},
      {"same start, the shorter one wins", {{0x10, 0x40, "a"}, {0x10, 0x20, "b"}}, {}, "b@10-20 a@20-40"},
      {"global before local", {{1, 2, "a", true, true}, {1, 2, "long_one"}}, {}, "long_one@1-2"},
      {"function before label", {{1, 2, "a", false}, {1, 2, "long_one", true, true}}, {}, "long_one@1-2"},
      {"few underscores", {{1, 2, "__write"}, {1, 2, "write"}, {1, 2, "_write"}}, {}, "write@1-2"},
      {"short", {{1, 2, "fopen64"}, {1, 2, "fopen"}}, {}, "fopen@1-2"},
      {"alphabet", {{1, 2, "_ZN1AC2Ev"}, {1, 2, "_ZN1AC1Ev"}}, {}, "_ZN1AC1Ev@1-2"},
      {"versions are no part of names", {{1, 2, "memcpy@@GLIBC_2.14"}}, {}, "memcpy@1-2"},
      {"no size: to the next symbol", {{1, 1, "a"}, {5, 9, "b"}}, {}, "a@1-5 b@5-9"},
      {"no size: to the next without one", {{1, 1, "a"}, {5, 5, "b", true, false, 7}}, {}, "a@1-5 b@5-7"},
      {"no size: to the end of its frame", {{1, 1, "a"}}, {{0, 4}, {6, 8}}, "?@0-1 a@1-4 ?@6-8"},
      {"no size: to the next frame", {{1, 1, "a"}}, {{6, 8}}, "a@1-6 ?@6-8"},
      {"no size: to the end of its section", {{1, 1, "a", true, false, 3}}, {}, "a@1-3"},
      {"no size, within another", {{1, 9, "a"}, {4, 4, "label"}}, {}, "a@1-9"},
      {"frames that overlap", {}, {{1, 5}, {3, 8}}, "?@1-5 ?@5-8"},
      {"one frame, two symbols", {{2, 3, "a"}, {5, 6, "b"}}, {{1, 8}}, "?@1-2 a@2-3 ?@3-5 b@5-6 ?@6-8"},
  };
  for (const Row& r : rows) EXPECT_EQ(laid_out(r.symbols, r.frames), r.want) << r.why;
}

TEST(FindRange, KnowsTheEdges) {
  const std::vector<CodeRange> ranges{{0x10, 0x10, 1}, {0x20, 1, 2}, {0x30, 4, 3}};
  struct Row {
    std::uint64_t address;
    std::uint32_t want;  ///< name; 0: none
  };
  for (const Row r :
       {Row{0, 0}, {0xf, 0}, {0x10, 1}, {0x1f, 1}, {0x20, 2}, {0x21, 0}, {0x33, 3}, {0x34, 0}, {~0ull, 0}}) {
    const CodeRange* found = find_range(ranges, r.address);
    EXPECT_EQ(found == nullptr ? 0 : found->name, r.want) << r.address;
  }
}

}  // namespace
}  // namespace symcached::pprof
