#include "base/inflate_stream.hpp"

#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace symcached {

/// How far a decoder came.
struct InflateStream::Decoder {
  virtual ~Decoder() = default;
  /// @return bytes written, fewer than asked for where the input ends or is wrong
  virtual std::size_t run(std::span<std::byte> out) = 0;
  /// All of the stream was read, and its checksum was right.
  virtual bool ended() = 0;
};

struct InflateStream::Zlib final : Decoder {
  explicit Zlib(Bytes data) : left(data) {
    isal_inflate_init(&state);
    state.crc_flag = ISAL_ZLIB;
  }

  std::size_t run(std::span<std::byte> out) override {
    std::size_t done = 0;
    do {
      feed();
      const std::size_t room = std::min<std::size_t>(out.size() - done, kMaxPiece);
      state.next_out = reinterpret_cast<std::uint8_t*>(out.data() + done);
      state.avail_out = static_cast<std::uint32_t>(room);
      const std::uint32_t input = state.avail_in;
      good = isal_inflate(&state) == ISAL_DECOMP_OK;
      const std::size_t given = room - state.avail_out;
      done += given;
      if (given == 0 && state.avail_in == input) break;  // it ends here, or is cut
    } while (good && done < out.size());
    return done;
  }
  bool ended() override {
    std::byte none;  // the checksum is looked at once there is no more to give
    if (good && state.block_state != ISAL_BLOCK_FINISH && run({&none, 1}) != 0) return false;
    return good && state.block_state == ISAL_BLOCK_FINISH;
  }

 private:
  /// Its counters have 32 bits.
  static constexpr std::size_t kMaxPiece = std::numeric_limits<std::int32_t>::max();
  void feed() {
    if (state.avail_in != 0) return;
    const std::size_t piece = std::min(left.size(), kMaxPiece);
    // The library reads through this pointer only.
    state.next_in = const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(left.data()));
    state.avail_in = static_cast<std::uint32_t>(piece);
    left = left.subspan(piece);
  }

  inflate_state state;
  Bytes left;
  bool good = true;
};

struct InflateStream::Zstd final : Decoder {
  explicit Zstd(Bytes data) : in{data.data(), data.size(), 0} {}
  ~Zstd() override { ZSTD_freeDCtx(context); }

  std::size_t run(std::span<std::byte> out) override {
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    while (!ZSTD_isError(hint) && !ended_frames() && to.pos < to.size) {
      const std::size_t read = in.pos, written = to.pos;
      hint = ZSTD_decompressStream(context, &to, &in);
      if (in.pos == read && to.pos == written) break;
    }
    return to.pos;
  }
  bool ended() override {
    std::byte none;
    return (ended_frames() || run({&none, 1}) == 0) && ended_frames();
  }

 private:
  bool ended_frames() const { return hint == 0 && in.pos == in.size; }

  ZSTD_DCtx* context = ZSTD_createDCtx();
  ZSTD_inBuffer in;
  std::size_t hint = 1;  ///< what zstd would like to read next; 0: a frame ended
};

InflateStream::InflateStream(std::unique_ptr<Decoder> decoder, std::uint64_t size, std::string_view field)
    : decoder_(std::move(decoder)), size_(size), field_(field) {}
InflateStream::InflateStream(InflateStream&&) noexcept = default;
InflateStream& InflateStream::operator=(InflateStream&&) noexcept = default;
InflateStream::~InflateStream() = default;

Read<InflateStream> InflateStream::open(const Compressed& from, std::string_view field) {
  if (from.size / kMaxExpansion > from.data.size())
    return too_large(field, 0, from.size, from.data.size() * kMaxExpansion);
  std::unique_ptr<Decoder> decoder;
  if (from.codec == Codec::zstd) decoder = std::make_unique<Zstd>(from.data);
  else decoder = std::make_unique<Zlib>(from.data);
  return InflateStream(std::move(decoder), from.size, field);
}

Read<void> InflateStream::read(std::span<std::byte> out) {
  if (out.size() > left()) return too_large(field_, position_, position_ + out.size(), size_);
  const std::size_t given = out.empty() ? 0 : decoder_->run(out);
  position_ += given;
  if (given == out.size() && (left() != 0 || decoder_->ended())) return {};
  const std::uint64_t wanted = std::exchange(size_, position_);
  return bad_value(field_, position_, position_, wanted);
}

}  // namespace symcached
