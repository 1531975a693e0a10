#pragma once
/// Bytes from outside, read in bounds: the span, the error, and the forward cursor over both.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/endian.hpp"

namespace symcached {

using Bytes = std::span<const std::byte>;

/// Why bytes could not be read as what they should be. A value, never an exception.
struct ReadError {
  enum class Kind : std::uint8_t { truncated, too_large, bad_value, unsupported, unpacks_too_large };
  Kind kind = Kind::bad_value;
  std::uint64_t offset = 0;  ///< bytes from the start of the input the reader was given
  std::string_view field;    ///< what was being read, static storage: "pdb.dbi.version"; unsupported: the whole message
  std::uint64_t wanted = 0;  ///< truncated: bytes needed; …_too_large: the limit; bad_value: 0 or the value expected
  std::uint64_t found = 0;   ///< truncated: bytes left; otherwise: the value found
};

/// The problem first, then where: "truncated: 4 of 20 bytes (pe.coff_header at offset 66)".
std::string to_string(const ReadError& error);

template <class T>
using Read = std::expected<T, ReadError>;

inline std::unexpected<ReadError> bad_value(std::string_view field, std::uint64_t offset, std::uint64_t found,
                                            std::uint64_t wanted = 0) {
  return std::unexpected(ReadError{ReadError::Kind::bad_value, offset, field, wanted, found});
}
inline std::unexpected<ReadError> too_large(std::string_view field, std::uint64_t offset, std::uint64_t found,
                                            std::uint64_t limit) {
  return std::unexpected(ReadError{ReadError::Kind::too_large, offset, field, limit, found});
}
inline std::unexpected<ReadError> truncated(std::string_view field, std::uint64_t offset, std::uint64_t wanted,
                                            std::uint64_t left) {
  return std::unexpected(ReadError{ReadError::Kind::truncated, offset, field, wanted, left});
}
/// Compressed bytes that state a plain size over the limits.
/// @param limit  for all that is compressed in the file
inline std::unexpected<ReadError> unpacks_too_large(std::string_view field, std::uint64_t offset, std::uint64_t size,
                                                    std::uint64_t limit) {
  return std::unexpected(ReadError{ReadError::Kind::unpacks_too_large, offset, field, limit, size});
}
/// The bytes are sound, but what is wanted is not in them.
/// @param message  "what is missing (field); what to do", static storage
inline std::unexpected<ReadError> unsupported(std::string_view message, std::uint64_t offset) {
  return std::unexpected(ReadError{ReadError::Kind::unsupported, offset, message, 0, 0});
}

#define SC_CONCAT_(a, b) a##b
#define SC_CONCAT(a, b) SC_CONCAT_(a, b)
/// SC_TRY(const auto x, expression): declares x from the expected, or returns its error upward.
#define SC_TRY(declaration, ...) SC_TRY_(SC_CONCAT(sc_try_, __LINE__), declaration, __VA_ARGS__)
#define SC_TRY_(temporary, declaration, ...)              \
  auto temporary = (__VA_ARGS__);                         \
  if (!temporary) [[unlikely]]                            \
    return std::unexpected(std::move(temporary).error()); \
  declaration = *std::move(temporary)

/// A record that may be viewed in place in any input: no padding, no alignment, no invariants.
template <class T>
concept WireRecord = std::is_trivially_copyable_v<T> && alignof(T) == 1;

/// Forward cursor over bytes it does not own; a failed read does not move it.
class ByteReader {
 public:
  explicit ByteReader(Bytes data, std::uint64_t base = 0) : all_(data), base_(base) {}

  std::size_t position() const { return at_; }
  std::size_t left() const { return all_.size() - at_; }
  bool at_end() const { return at_ == all_.size(); }
  Bytes rest() const { return all_.subspan(at_); }

  Read<Bytes> take(std::uint64_t n, std::string_view field) {
    if (n > left()) [[unlikely]]
      return truncated(field, base_ + at_, n, left());
    return all_.subspan(std::exchange(at_, at_ + static_cast<std::size_t>(n)), static_cast<std::size_t>(n));
  }
  Read<void> skip(std::uint64_t n, std::string_view field) {
    if (n > left()) [[unlikely]]
      return truncated(field, base_ + at_, n, left());
    at_ += static_cast<std::size_t>(n);
    return {};
  }
  /// Moves to a multiple of `alignment` (a power of two), at most to the end.
  void align(std::size_t alignment) {
    const std::size_t padding = (alignment - (at_ & (alignment - 1))) & (alignment - 1);
    at_ += padding < left() ? padding : left();
  }
  /// One record, copied out.
  template <WireRecord T>
  Read<T> read(std::string_view field) {
    if (sizeof(T) > left()) [[unlikely]]
      return truncated(field, base_ + at_, sizeof(T), left());
    T value;
    std::memcpy(&value, all_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  /// `count` records, in place: the view lives as long as the input.
  template <WireRecord T>
  Read<std::span<const T>> array(std::uint64_t count, std::string_view field) {
    if (count > left() / sizeof(T)) [[unlikely]]
      return truncated(field, base_ + at_, count * sizeof(T), left());
    const auto* first = reinterpret_cast<const T*>(all_.data() + at_);
    at_ += static_cast<std::size_t>(count) * sizeof(T);
    return std::span<const T>(first, static_cast<std::size_t>(count));
  }
  /// Text up to and without a NUL byte, in place.
  Read<std::string_view> c_string(std::string_view field) {
    const void* end = left() == 0 ? nullptr : std::memchr(all_.data() + at_, 0, left());
    if (end == nullptr) [[unlikely]]
      return truncated(field, base_ + at_, left() + 1, left());
    const auto* first = reinterpret_cast<const char*>(all_.data() + at_);
    const std::string_view text(first, static_cast<std::size_t>(static_cast<const char*>(end) - first));
    at_ += text.size() + 1;
    return text;
  }

 private:
  Bytes all_;
  std::size_t at_ = 0;
  std::uint64_t base_ = 0;
};

/// The record at `offset`, if it lies inside `data`.
template <WireRecord T>
Read<T> read_at(Bytes data, std::uint64_t offset, std::string_view field) {
  if (offset > data.size() || sizeof(T) > data.size() - offset) [[unlikely]]
    return truncated(field, offset, sizeof(T), offset > data.size() ? 0 : data.size() - offset);
  T value;
  std::memcpy(&value, data.data() + offset, sizeof(T));
  return value;
}

inline Read<Bytes> slice(Bytes data, std::uint64_t offset, std::uint64_t size, std::string_view field) {
  if (offset > data.size() || size > data.size() - offset) [[unlikely]]
    return truncated(field, offset, size, offset > data.size() ? 0 : data.size() - offset);
  return data.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

inline std::string_view as_text(Bytes data) { return {reinterpret_cast<const char*>(data.data()), data.size()}; }
inline Bytes as_bytes(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

}  // namespace symcached
