#include "base/inflate_to.hpp"

#include <fmt/format.h>
#include <isa-l/igzip_lib.h>
#include <lzma.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

namespace symcached {
namespace {

using Done = std::expected<void, UnpackFailure>;

constexpr std::size_t kPiece = 256 << 10;
constexpr std::uint64_t kXzMemory = 256u << 20;
constexpr int kZstdWindowLog = 27;

Done bad(std::string why) { return std::unexpected(UnpackFailure{false, std::move(why)}); }
Done cut() { return bad("truncated"); }
Done corrupt(std::uint64_t offset) { return bad(fmt::format("corrupt data at offset {}", offset)); }

/// A piece of plain bytes on its way to the sink, and how many went before.
class Output {
 public:
  Output(std::uint64_t limit, const ByteSink& sink) : limit_(limit), sink_(sink), piece_(kPiece) {}

  std::byte* data() { return piece_.data(); }
  Done give(std::size_t size) {
    if (size == 0) return {};
    if (size > limit_ - given_) return bad(fmt::format("decompresses to more than the limit of {} bytes", limit_));
    given_ += size;
    if (auto taken = sink_(Bytes(piece_).first(size)); !taken)
      return std::unexpected(UnpackFailure{true, std::move(taken.error())});
    return {};
  }

 private:
  const std::uint64_t limit_;
  const ByteSink& sink_;
  std::vector<std::byte> piece_;
  std::uint64_t given_ = 0;
};

/// One zlib stream or gzip member, taken off the front of `rest`.
Done inflate_member(Codec codec, Bytes& rest, Output& out) {
  constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();  // its counters have 32 bits
  inflate_state state;
  isal_inflate_init(&state);
  state.crc_flag = codec == Codec::gzip ? ISAL_GZIP : ISAL_ZLIB;
  const std::byte* const start = rest.data();
  Bytes left = rest;
  while (state.block_state != ISAL_BLOCK_FINISH) {
    if (state.avail_in == 0) {
      const Bytes piece = left.first(std::min(left.size(), kMost));
      // The library reads through this pointer only.
      state.next_in = const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(piece.data()));
      state.avail_in = static_cast<std::uint32_t>(piece.size());
      left = left.subspan(piece.size());
    }
    const std::uint32_t input = state.avail_in;
    state.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    state.avail_out = kPiece;
    const int result = isal_inflate(&state);
    const std::size_t given = kPiece - state.avail_out;
    if (result < 0) return corrupt(rest.size() - left.size() - state.avail_in);
    if (auto taken = out.give(given); !taken) return taken;
    const bool moved = given != 0 || state.avail_in != input || state.block_state == ISAL_BLOCK_FINISH;
    if (!moved) return cut();
  }
  rest = rest.subspan(static_cast<std::size_t>(reinterpret_cast<const std::byte*>(state.next_in) - start));
  return {};
}

Done inflate_all(Codec codec, Bytes packed, Output& out) {
  Bytes rest = packed;
  const auto is_zero = [](std::byte b) { return b == std::byte{0}; };
  do {
    if (auto done = inflate_member(codec, rest, out); !done) return done;
    if (codec == Codec::gzip && std::ranges::all_of(rest, is_zero)) return {};  // a filled up last block
  } while (codec == Codec::gzip);
  return rest.empty() ? Done() : corrupt(packed.size() - rest.size());
}

Done unzstd_all(Bytes packed, Output& out) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  if (!context) return bad("out of memory");
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kZstdWindowLog);
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  std::size_t hint = 1;  // 0: a frame ended
  while (in.pos < in.size || hint != 0) {
    const std::size_t before = in.pos;
    ZSTD_outBuffer to{out.data(), kPiece, 0};
    hint = ZSTD_decompressStream(context.get(), &to, &in);
    if (ZSTD_isError(hint)) return corrupt(before);
    if (auto taken = out.give(to.pos); !taken) return taken;
    if (hint != 0 && in.pos == in.size && to.pos == 0) return cut();
  }
  return {};
}

Done unxz_all(Bytes packed, Output& out) {
  lzma_stream stream = LZMA_STREAM_INIT;
  const std::unique_ptr<lzma_stream, decltype(&lzma_end)> end(&stream, &lzma_end);
  if (lzma_stream_decoder(&stream, kXzMemory, LZMA_CONCATENATED) != LZMA_OK) return bad("out of memory");
  stream.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  while (true) {
    stream.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream.avail_out = kPiece;
    const lzma_ret result = lzma_code(&stream, LZMA_FINISH);
    if (auto taken = out.give(kPiece - stream.avail_out); !taken) return taken;
    if (result == LZMA_STREAM_END) return {};
    if (result == LZMA_BUF_ERROR) return cut();
    if (result == LZMA_MEMLIMIT_ERROR) return bad(fmt::format("needs more than {} bytes of memory", kXzMemory));
    if (result != LZMA_OK) return corrupt(stream.total_in);
  }
}

}  // namespace

std::expected<void, UnpackFailure> inflate_to(Codec codec, Bytes packed, std::uint64_t limit, const ByteSink& sink) {
  if (packed.empty()) return cut();
  Output out(limit, sink);
  switch (codec) {
    case Codec::zstd: return unzstd_all(packed, out);
    case Codec::xz: return unxz_all(packed, out);
    default: return inflate_all(codec, packed, out);
  }
}

}  // namespace symcached
