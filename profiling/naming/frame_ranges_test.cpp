#include "profiling/naming/frame_ranges.hpp"

#include <gtest/gtest.h>

namespace symcached::pprof {
namespace {

constexpr std::uint64_t kAddress = 0x5000;  // of .eh_frame

/// Bytes of .eh_frame, little-endian.
class Frames {
 public:
  Frames& u8(std::uint8_t v) { return put(v, 1); }
  Frames& u16(std::uint64_t v) { return put(v, 2); }
  Frames& u32(std::uint64_t v) { return put(v, 4); }
  Frames& u64(std::uint64_t v) { return put(v, 8); }
  Frames& text(std::string_view v) {
    for (const char c : v) u8(static_cast<std::uint8_t>(c));
    return u8(0);
  }
  std::size_t size() const { return bytes_.size(); }
  std::vector<std::byte> bytes() const { return bytes_; }

  /// A common entry whose others write pointers so; 0xFF: it says nothing of them.
  Frames& common(std::uint8_t encoding, std::string_view augmentation = "zR", std::uint8_t version = 1) {
    common_ = size();
    Frames body;
    body.u32(0).u8(version).text(augmentation).u8(1).u8(0x78).u8(16);
    if (augmentation == "zPLR") body.u8(7).u8(0x9b).u32(0).u8(0x1b).u8(encoding);
    else if (augmentation.starts_with('z')) body.u8(1).u8(encoding);
    return entry(body);
  }
  /// An entry of 32-bit numbers.
  Frames& function(std::uint64_t begin, std::uint64_t length) {
    Frames body;
    body.u32(size() + 4 - common_).u32(begin).u32(length).u8(0);
    return entry(body);
  }
  /// The same, counted from where it is.
  Frames& near_function(std::uint64_t begin, std::uint64_t length) {
    return function(begin - (kAddress + size() + 8), length);
  }
  Frames& wide_function(std::uint64_t begin, std::uint64_t length) {
    Frames body;
    body.u32(size() + 4 - common_).u64(begin).u64(length);
    return entry(body);
  }

 private:
  Frames& put(std::uint64_t v, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i) bytes_.push_back(static_cast<std::byte>(v >> (8 * i)));
    return *this;
  }
  Frames& entry(const Frames& body) {
    u32(body.size());
    bytes_.insert(bytes_.end(), body.bytes_.begin(), body.bytes_.end());
    return *this;
  }
  std::vector<std::byte> bytes_;
  std::size_t common_ = 0;
};

TEST(FrameRanges, ReadsWhatCompilersWrite) {
  struct Row {
    std::string_view why;
    Frames frames;
    std::vector<FrameRange> want;
  };
  using Ranges = std::vector<FrameRange>;
  const Row rows[] = {
      {"nothing", Frames(), {}},
      {"GCC's", Frames().common(0x1b).near_function(0x1000, 0x20).near_function(0x1020, 8),
       Ranges{{0x1000, 0x1020}, {0x1020, 0x1028}}},
      {"what is behind the end is not looked at", Frames().common(0x03).function(1, 2).u32(0).function(3, 4),
       Ranges{{1, 3}}},
      {"with a personality", Frames().common(0x1b, "zPLR").near_function(0x1000, 0x20), Ranges{{0x1000, 0x1020}}},
      {"signal frames", Frames().common(0x1b, "zRS").near_function(0x1000, 0x20), Ranges{{0x1000, 0x1020}}},
      {"without augmentation", Frames().common(0, "").wide_function(0x1000, 0x20), Ranges{{0x1000, 0x1020}}},
      {"large code", Frames().common(0x04).wide_function(0x700000000000, 0x20),
       Ranges{{0x700000000000, 0x700000000020}}},
      {"two common ones", Frames().common(0x1b).near_function(8, 4).common(0x03).function(0x10, 4),
       Ranges{{8, 12}, {0x10, 0x14}}},
      {"what was dropped by the linker", Frames().common(0x03).function(0, 4).function(8, 0).function(9, 1),
       Ranges{{9, 10}}},
      {"unknown encodings",
       Frames().common(0x30).function(1, 2).common(0x01).function(1, 2).common(0xFF).function(1, 2),
       {}},
      {"unknown augmentation", Frames().common(0x03, "eh").function(1, 2), {}},
      {"unknown version", Frames().common(0x03, "zR", 9).function(1, 2), {}},
      {"longer than there is", Frames().common(0x03).function(1, 2).u32(100).u32(4), Ranges{{1, 3}}},
  };
  for (const Row& r : rows) EXPECT_EQ(frame_ranges(r.frames.bytes(), kAddress), r.want) << r.why;
}

TEST(FrameRanges, EveryCutIsRead) {
  const auto whole = Frames().common(0x1b, "zPLR").near_function(0x1000, 0x20).near_function(0x1020, 8).bytes();
  for (std::size_t n = 0; n < whole.size(); ++n)
    EXPECT_LT(frame_ranges(Bytes(whole).first(n), kAddress).size(), 2u) << n;
}

TEST(FramesAddress, IsInTheHeader) {
  const auto header = Frames().u8(1).u8(0x1b).u8(3).u8(0x3b).u32(0x100).bytes();
  EXPECT_EQ(frames_address(header, 0x2000), 0x2104u);
  EXPECT_EQ(frames_address(Bytes(header).first(7), 0x2000), 0u);
  EXPECT_EQ(frames_address(Frames().u8(2).u8(0x1b).u8(3).u8(0x3b).u32(0x100).bytes(), 0x2000), 0u);
}

}  // namespace
}  // namespace symcached::pprof
