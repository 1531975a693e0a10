#include "base/decompress.hpp"

#include <libdeflate.h>
#include <lzma.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

namespace symcached {
namespace {

/// xz -9 takes 65 MiB to decompress; a stream that wants more memory than this is refused.
constexpr std::uint64_t kXzMemory = 256u << 20;
/// Bytes of a zstd stream's window; what `zstd` itself takes without being asked for more.
constexpr int kZstdWindowLog = 27;
constexpr std::uint64_t kSmallestGuess = 64 * 1024;

struct FreeDeflate {
  void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};
using Deflate = std::unique_ptr<libdeflate_decompressor, FreeDeflate>;

struct FreeZstd {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

/// The largest size that memory may be taken for before the bytes were seen.
std::uint64_t believable(Bytes data, std::uint64_t limit) {
  const std::uint64_t most = data.size() > limit / kMaxExpansion ? limit : data.size() * kMaxExpansion;
  return std::min(most, limit);
}

std::unexpected<ReadError> corrupt(std::string_view field, std::uint64_t offset) { return bad_value(field, offset, 0); }

/// Output of unknown size: twice the memory whenever it is full, up to the limit.
class Output {
 public:
  Output(std::uint64_t first, std::uint64_t limit)
      : limit_(limit), memory_(static_cast<std::size_t>(std::min(std::max(first, kSmallestGuess), limit))) {}

  std::byte* end() { return memory_.data() + used_; }
  std::size_t room() const { return memory_.size() - used_; }
  void add(std::size_t count) { used_ += count; }
  bool can_grow() const { return memory_.size() < limit_; }
  void grow() {
    const std::uint64_t wanted = std::min<std::uint64_t>(std::uint64_t{memory_.size()} * 2, limit_);
    Buffer larger(static_cast<std::size_t>(wanted));
    if (used_ != 0) std::memcpy(larger.data(), memory_.data(), used_);
    memory_ = std::move(larger);
  }
  Buffer finish() && {
    memory_.shrink(used_);
    return std::move(memory_);
  }

 private:
  std::uint64_t limit_;
  Buffer memory_;
  std::size_t used_ = 0;
};

struct Inflated {
  libdeflate_result result;
  std::size_t in = 0, out = 0;
};

/// One stream or gzip member; bytes behind it are left alone.
Inflated inflate(Codec codec, libdeflate_decompressor* with, Bytes data, std::byte* out, std::size_t room) {
  Inflated done{};
  switch (codec) {
    case Codec::gzip:
      done.result = libdeflate_gzip_decompress_ex(with, data.data(), data.size(), out, room, &done.in, &done.out);
      break;
    case Codec::zlib:
      done.result = libdeflate_zlib_decompress_ex(with, data.data(), data.size(), out, room, &done.in, &done.out);
      break;
    default:
      done.result = libdeflate_deflate_decompress_ex(with, data.data(), data.size(), out, room, &done.in, &done.out);
  }
  return done;
}

Read<std::size_t> inflate_exactly(Codec codec, Bytes data, Buffer& out, std::string_view field) {
  const Deflate with(libdeflate_alloc_decompressor());
  const Inflated done = inflate(codec, with.get(), data, out.data(), out.size());
  if (done.result == LIBDEFLATE_INSUFFICIENT_SPACE) return too_large(field, 0, out.size() + 1, out.size());
  if (done.result != LIBDEFLATE_SUCCESS) return corrupt(field, 0);
  return done.out;
}

bool all_zero(Bytes data) {
  return std::ranges::all_of(data, [](std::byte b) { return b == std::byte{0}; });
}

/// libdeflate cannot go on where the output was full, so a member is read again with twice the room: in sum no more
/// than three times the work.
Read<Buffer> inflate_whole(Codec codec, Bytes data, std::uint64_t limit, std::string_view field) {
  const Deflate with(libdeflate_alloc_decompressor());
  std::uint64_t guess = std::uint64_t{data.size()} * 4;
  if (codec == Codec::gzip && data.size() >= 4)
    guess = std::max<std::uint64_t>(guess, read_at<u32le>(data, data.size() - 4, field).value_or(0));
  Output out(std::min(guess, believable(data, limit)), limit);
  Bytes rest = data;
  do {
    const Inflated done = inflate(codec, with.get(), rest, out.end(), out.room());
    if (done.result == LIBDEFLATE_INSUFFICIENT_SPACE) {
      if (!out.can_grow()) return too_large(field, data.size() - rest.size(), limit + 1, limit);
      out.grow();
      continue;
    }
    if (done.result != LIBDEFLATE_SUCCESS) return corrupt(field, data.size() - rest.size());
    out.add(done.out);
    rest = rest.subspan(done.in);
    if (codec != Codec::gzip || all_zero(rest)) break;  // some programs fill up the last block with zeros
  } while (true);
  return std::move(out).finish();
}

Read<std::size_t> unzstd_exactly(Bytes data, Buffer& out, std::string_view field) {
  const std::size_t size = ZSTD_decompress(out.data(), out.size(), data.data(), data.size());
  if (ZSTD_isError(size)) return corrupt(field, 0);
  return size;
}

Read<Buffer> unzstd_whole(Bytes data, std::uint64_t limit, std::string_view field) {
  const std::unique_ptr<ZSTD_DCtx, FreeZstd> context(ZSTD_createDCtx());
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kZstdWindowLog);
  const unsigned long long stated = ZSTD_getFrameContentSize(data.data(), data.size());
  const bool known = stated != ZSTD_CONTENTSIZE_UNKNOWN && stated != ZSTD_CONTENTSIZE_ERROR;
  // One byte more than stated: the end of the frame is then seen without another round.
  const std::uint64_t guess = known ? std::max<std::uint64_t>(stated, stated + 1) : std::uint64_t{data.size()} * 4;
  Output out(std::min(guess, believable(data, limit)), limit);
  ZSTD_inBuffer in{data.data(), data.size(), 0};
  std::size_t hint = 1;
  while (in.pos < in.size || hint != 0) {
    if (out.room() == 0 && out.can_grow()) out.grow();
    std::byte spare;  // at the limit one more byte tells whether the stream ends there
    const bool full = out.room() == 0;
    ZSTD_outBuffer to{full ? &spare : out.end(), full ? 1 : out.room(), 0};
    const std::size_t before = in.pos;
    hint = ZSTD_decompressStream(context.get(), &to, &in);
    if (ZSTD_isError(hint)) return corrupt(field, before);
    if (full && to.pos != 0) return too_large(field, before, limit + 1, limit);
    out.add(to.pos);
    if (hint != 0 && in.pos == in.size && to.pos < to.size) return truncated(field, in.pos, hint, 0);
  }
  return std::move(out).finish();
}

class XzStream {
 public:
  XzStream() : ready_(lzma_stream_decoder(&stream_, kXzMemory, LZMA_CONCATENATED) == LZMA_OK) {}
  ~XzStream() { lzma_end(&stream_); }
  XzStream(const XzStream&) = delete;
  XzStream& operator=(const XzStream&) = delete;

  bool ready() const { return ready_; }
  void input(Bytes data) {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(data.data());
    stream_.avail_in = data.size();
  }
  std::uint64_t position() const { return stream_.total_in; }
  /// @param written  how many bytes came out
  lzma_ret run(std::byte* out, std::size_t room, std::size_t& written) {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out);
    stream_.avail_out = room;
    const lzma_ret result = lzma_code(&stream_, LZMA_FINISH);
    written = room - stream_.avail_out;
    return result;
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool ready_;
};

Read<Buffer> unxz(Bytes data, std::uint64_t guess, std::uint64_t limit, std::string_view field) {
  XzStream xz;
  if (!xz.ready()) return corrupt(field, 0);
  xz.input(data);
  Output out(std::min(guess, believable(data, limit)), limit);
  for (;;) {
    if (out.room() == 0 && out.can_grow()) out.grow();
    std::byte spare;
    const bool full = out.room() == 0;
    std::size_t written = 0;
    const lzma_ret result = xz.run(full ? &spare : out.end(), full ? 1 : out.room(), written);
    if (full && written != 0) return too_large(field, xz.position(), limit + 1, limit);
    out.add(written);
    if (result == LZMA_STREAM_END) return std::move(out).finish();
    if (result == LZMA_MEMLIMIT_ERROR) return too_large(field, xz.position(), kXzMemory + 1, kXzMemory);
    if (result == LZMA_BUF_ERROR) return truncated(field, xz.position(), 1, 0);
    if (result != LZMA_OK) return corrupt(field, xz.position());
  }
}

}  // namespace

std::string_view name_of(Codec codec) {
  switch (codec) {
    case Codec::deflate: return "deflate";
    case Codec::zlib: return "zlib";
    case Codec::gzip: return "gzip";
    case Codec::zstd: return "zstd";
    case Codec::xz: return "xz";
  }
  return "unknown";
}

Read<Buffer> decompress(Codec codec, Bytes data, std::uint64_t size, std::string_view field) {
  if (size / kMaxExpansion > data.size()) return too_large(field, 0, size, data.size() * kMaxExpansion);
  Buffer out;
  std::size_t written = 0;
  if (codec == Codec::xz) {
    SC_TRY(out, unxz(data, size, size, field));
    written = out.size();
  } else {
    out = Buffer(static_cast<std::size_t>(size));
    SC_TRY(written, codec == Codec::zstd ? unzstd_exactly(data, out, field) : inflate_exactly(codec, data, out, field));
  }
  if (written != size) return bad_value(field, 0, written, size);
  return out;
}

Read<Buffer> decompress_whole(Codec codec, Bytes data, std::uint64_t limit, std::string_view field) {
  switch (codec) {
    case Codec::zstd: return unzstd_whole(data, limit, field);
    case Codec::xz: return unxz(data, std::uint64_t{data.size()} * 4, limit, field);
    default: return inflate_whole(codec, data, limit, field);
  }
}

}  // namespace symcached
