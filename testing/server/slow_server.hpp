#pragma once
/// Files that are large enough to be looked at before they are downloaded, and a server that shows how much of them
/// was.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testing/elf/image.hpp"
#include "testing/server/raw_upstream.hpp"

namespace symcached {

inline constexpr std::size_t kLarge = 17 << 20;  ///< bytes: a file that is looked at

/// @param first_of_id  the first byte of its build id; the others are 0xAB
/// @param section      beside the code: ".debug_info"
/// @param size         bytes, about
inline std::string large_elf(std::uint8_t first_of_id, std::string_view section, std::size_t size = kLarge) {
  testkit::ElfBytes note({});
  note.u32(4).u32(20).u32(3).c_string("GNU");
  for (unsigned i = 0; i < 20; ++i) note.u8(i == 0 ? first_of_id : 0xAB);
  testkit::ElfImage image;
  image.sections = {{.name = ".note.gnu.build-id", .type = elf::SectionType::note, .data = note.finish()},
                    {.name = ".text", .data = std::vector<std::byte>(size)},
                    {.name = std::string(section), .data = std::vector<std::byte>(16)}};
  image.segments = {{.type = elf::kSegmentNote, .section = 1}};
  const auto file = testkit::assemble(image);
  return std::string(as_text(file));
}

/// One file at every path, sent at leisure: what was not read when the connection ended was not sent.
class SlowServer {
 public:
  struct Rules {
    bool ranges = true;
    std::string type = "application/octet-stream";
    std::string only_at = "";  ///< a part of the path
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
    const std::string path = head.substr(0, head.find('\r'));
    if (path.find("index2.txt") != std::string::npos) return peer.say(kNoFile);
    ++requests_;
    if (path.find(rules_.only_at) == std::string::npos) return peer.say(kNoFile);
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
    for (std::size_t at = first; at < last; at += kPiece) {
      const std::string piece = content_.substr(at, std::min<std::size_t>(kPiece, last - at));
      if (!peer.say(piece)) return false;
      sent_ += piece.size();
    }
    return true;
  }

  static constexpr std::size_t kPiece = 64 << 10;  ///< bytes
  static constexpr std::string_view kNoFile = "HTTP/1.1 404 no\r\nContent-Length: 0\r\n\r\n";

  const std::string content_;
  const Rules rules_;
  std::atomic<std::size_t> sent_ = 0;
  std::atomic<unsigned> requests_ = 0;
  RawUpstream server_;  ///< goes first
};

}  // namespace symcached
