#include "fetch/look.hpp"

#include <gmock/gmock.h>

#include <atomic>

#include "testing/elf/image.hpp"
#include "testing/pdb/msf_file.hpp"
#include "testing/server/faulty_upstream.hpp"
#include "testing/server/source_fixture.hpp"

namespace symcached::fetch {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using testkit::Section;

constexpr std::size_t kLarge = 17 << 20;  ///< bytes: a file that is looked at

/// Of the GUID that is wanted, or of another one.
std::string large_pdb(bool wanted) {
  std::vector<std::vector<std::byte>> streams(4);
  // The GUID's first fields are little-endian in the file.
  streams[1] = Section()
                   .u32(20000404)
                   .u32(1)
                   .u32(7)
                   .u32(wanted ? 0x3249D99D : 1)
                   .u32(0x49310C40)
                   .u64(0x36690BFBE4F41086)
                   .finish();
  streams[0] = std::vector<std::byte>(kLarge);
  const auto file = testkit::msf_file(streams, {.block_size = 4096});
  return std::string(as_text(file));
}

std::string large_elf(std::uint8_t first_of_id, std::string_view section) {
  testkit::ElfBytes note({});
  note.u32(4).u32(20).u32(3).c_string("GNU");
  for (unsigned i = 0; i < 20; ++i) note.u8(i == 0 ? first_of_id : 0xAB);
  testkit::ElfImage image;
  image.sections = {{.name = ".note.gnu.build-id", .type = elf::SectionType::note, .data = note.finish()},
                    {.name = ".text", .data = std::vector<std::byte>(kLarge)},
                    {.name = std::string(section), .data = std::vector<std::byte>(16)}};
  image.segments = {{.type = elf::kSegmentNote, .section = 1}};
  const auto file = testkit::assemble(image);
  return std::string(as_text(file));
}

Wanted wanted_elf(std::string_view first_of_id) {
  std::string id(first_of_id);
  while (id.size() < 40) id += "ab";
  return wanted_of({sources::FileType::elf_debug, {.code_file = "a.so", .code_id = std::move(id)}});
}

/// One file at every path, sent at leisure: what was not read when the connection ended was not sent.
class SlowServer {
 public:
  struct Rules {
    bool ranges = true;
    std::string type = "application/octet-stream";
  };
  SlowServer(std::string content, Rules rules)
      : content_(std::move(content)),
        rules_(std::move(rules)),
        server_([this](RawPeer& peer, const std::string& head) { return answer(peer, head); }) {}

  std::string url() const { return server_.url(); }
  std::size_t sent() const { return sent_; }
  unsigned requests() const { return requests_; }

 private:
  bool answer(RawPeer& peer, const std::string& head) {
    if (head.find("index2.txt") != std::string::npos) return peer.say("HTTP/1.1 404 no\r\nContent-Length: 0\r\n\r\n");
    ++requests_;
    std::size_t first = 0, last = content_.size();
    const std::size_t range = rules_.ranges ? head.find("Range: bytes=") : std::string::npos;
    if (range != std::string::npos) {
      const char* at = head.c_str() + range + 13;
      char* end = nullptr;
      first = std::strtoull(at, &end, 10);
      if (end[1] != '\r') last = std::min<std::size_t>(last, std::strtoull(end + 1, nullptr, 10) + 1);
    }
    std::string said = range == std::string::npos ? "HTTP/1.1 200 OK\r\n" : "HTTP/1.1 206 Part\r\n";
    said +=
        "ETag: \"e\"\r\nContent-Type: " + rules_.type + "\r\nContent-Length: " + std::to_string(last - first) + "\r\n";
    if (rules_.ranges) said += "Accept-Ranges: bytes\r\n";
    if (range != std::string::npos)
      said += "Content-Range: bytes " + std::to_string(first) + "-" + std::to_string(last - 1) + "/" +
              std::to_string(content_.size()) + "\r\n";
    if (!peer.say(said + "\r\n")) return false;
    for (std::size_t at = first; at < last; at += kPart) {
      const std::string piece = content_.substr(at, std::min<std::size_t>(kPart, last - at));
      if (!peer.say(piece)) return false;
      sent_ += piece.size();
    }
    return true;
  }

  const std::string content_;
  const Rules rules_;
  std::atomic<std::size_t> sent_ = 0;
  std::atomic<unsigned> requests_ = 0;
  RawUpstream server_;  ///< goes first
};

class LookTest : public SourceTest {
 protected:
  static Limits roomy() {
    Limits limits;
    limits.max_download = 64 << 20;
    return limits;
  }
  HttpClient roomy_{roomy(), "Test/1", {}, time_.waits()};
};

TEST_F(LookTest, AnotherFileIsNotDownloaded) {
  const std::string garbage = "garbage" + std::string(kLarge, 'x');
  const std::string page = "<html>" + std::string(kLarge, 'x');
  const std::string elf = large_elf(0xCD, ".debug_info");
  struct Row {
    std::string_view why;
    std::string content;
    Wanted wanted;
    SlowServer::Rules rules;
    std::string want;
    unsigned requests;
    bool whole;
  };
  const Row rows[] = {
      {"other content", garbage, kWanted, {}, "refused", 1, false},
      {"other content, no ranges", garbage, kWanted, {.ranges = false}, "refused", 1, false},
      {"a web page", page, kWanted, {}, "transient", 1, false},
      {"by its type", elf, wanted_elf("cd"), {.type = "text/html"}, "transient", 1, false},
      {"ELF, another id", elf, wanted_elf("ce"), {}, "refused", 1, false},
      {"ELF, another id, no ranges", elf, wanted_elf("ce"), {.ranges = false}, "refused", 1, false},
      {"ELF", elf, wanted_elf("cd"), {}, "found", 2, true},
      {"ELF, no ranges", elf, wanted_elf("cd"), {.ranges = false}, "found", 2, true},
      {"PDB", large_pdb(true), kWanted, {}, "found", 3, true},
      {"PDB, another id", large_pdb(false), kWanted, {}, "refused", 2, false},
      {"PDB, another id, which cannot be told without ranges",
       large_pdb(false),
       kWanted,
       {.ranges = false},
       "found",
       2,
       true},
  };
  for (const Row& r : rows) {
    SlowServer server(r.content, r.rules);
    sources::SourceConfig config = config_of(server.url());
    config.layout =
        r.wanted.file.type == sources::FileType::pdb ? sources::Layout::symstore : sources::Layout::debuginfod;
    config.probing = sources::Probing::first;
    const auto source = std::move(*make_source(config, objects_, roomy_));
    const std::string outcome = describe(run_task(source->open(r.wanted))).substr(0, 200);
    EXPECT_THAT(outcome, StartsWith(r.want)) << r.why;
    EXPECT_EQ(server.requests(), r.requests) << r.why;
    const std::size_t most = r.whole ? 2 * kLarge : kLarge * 3 / 4;  // what is in buffers of the system counts
    EXPECT_LT(server.sent(), most) << r.why;
    source->forget(r.wanted);
    EXPECT_EQ(left_over(), 0u) << r.why;
  }
}

TEST_F(LookTest, PeekSaysWhatAFileOffers) {
  using store::Quality;
  struct Row {
    std::string_view why;
    std::string content;
    std::string_view id;
    bool ranges;
    Offer want;
    unsigned most;
  };
  const std::string debug = large_elf(0xCD, ".debug_info"), symbols = large_elf(0xCD, ".symtab");
  const Row rows[] = {
      {"lines", debug, "cd", true, {.best = Quality::lines, .size = debug.size()}, 2},
      {"symbols", symbols, "cd", true, {.best = Quality::symbol_table, .size = symbols.size()}, 2},
      {"another id", debug, "ce", true, {.is_absent = true, .best = Quality::lines, .size = debug.size()}, 2},
      {"no ranges", debug, "cd", false, {.size = debug.size()}, 1},
      {"small", debug.substr(0, 1 << 20), "cd", true, {.size = 1 << 20}, 1},
  };
  for (const Row& r : rows) {
    SlowServer server(r.content, {.ranges = r.ranges});
    sources::SourceConfig config = config_of(server.url());
    config.layout = sources::Layout::debuginfod;
    const auto source = std::move(*make_source(config, objects_, roomy_));
    const Offer offer = run_task(source->peek(wanted_elf(r.id)));
    EXPECT_EQ(offer.is_absent, r.want.is_absent) << r.why;
    EXPECT_EQ(offer.best, r.want.best) << r.why;
    EXPECT_EQ(offer.size, r.want.size) << r.why;
    EXPECT_LE(server.requests(), r.most) << r.why;
  }
  FaultyUpstream nothing("", std::vector<FaultyUpstream::Fault>(9, {.status = 404}));
  sources::SourceConfig config = config_of(nothing.url());
  config.layout = sources::Layout::debuginfod;
  const auto source = std::move(*make_source(config, objects_, roomy_));
  EXPECT_TRUE(run_task(source->peek(wanted_elf("cd"))).is_absent);
  EXPECT_LE(nothing.requests(), 3u);
}

}  // namespace
}  // namespace symcached::fetch
