#pragma once
/// Assembles input files for tests, so that a reader of the test sees the bytes.
///
///   const auto bytes = Section().text("RSDS").zeros(16).u32(1).label("path").c_string("a.pdb").ref32("path").finish();
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/endian.hpp"

namespace symcached::testkit {

/// Bytes front to back. Labels name positions; a reference may come before its label. Integers are little-endian
/// unless the name says big. Misuse (a label bound twice, or never) throws std::logic_error.
class Section {
 public:
  Section& u8(std::uint8_t value) { return put(u8le(value)); }
  Section& u16(std::uint16_t value) { return put(u16le(value)); }
  Section& u32(std::uint32_t value) { return put(u32le(value)); }
  Section& u64(std::uint64_t value) { return put(u64le(value)); }
  Section& u16_big(std::uint16_t value) { return put(u16be(value)); }
  Section& u32_big(std::uint32_t value) { return put(u32be(value)); }
  Section& u64_big(std::uint64_t value) { return put(u64be(value)); }
  Section& text(std::string_view value) { return bytes(as_bytes(value)); }
  Section& c_string(std::string_view value) { return text(value).u8(0); }
  /// `value` in a field of `width` bytes, NUL-padded.
  Section& text_in(std::string_view value, std::size_t width) {
    if (value.size() > width) throw std::logic_error("text is wider than its field");
    return text(value).zeros(width - value.size());
  }
  Section& zeros(std::size_t count) {
    out_.resize(out_.size() + count);
    return *this;
  }
  Section& align(std::size_t alignment) { return zeros((alignment - out_.size() % alignment) % alignment); }
  /// Zeros up to `position`.
  Section& pad_to(std::size_t position) {
    if (position < out_.size()) throw std::logic_error("already past the position to pad to");
    return zeros(position - out_.size());
  }
  Section& bytes(Bytes value) {
    out_.insert(out_.end(), value.begin(), value.end());
    return *this;
  }
  /// Any record struct of the formats.
  template <WireRecord T>
  Section& put(const T& record) {
    return bytes(std::as_bytes(std::span(&record, 1)));
  }

  /// Names the present position.
  Section& label(std::string_view name) {
    if (!labels_.emplace(name, out_.size()).second) throw std::logic_error("label bound twice: " + std::string(name));
    return *this;
  }
  /// Four bytes that become the label's position plus `bias` (an RVA is a file offset plus a bias).
  Section& ref32(std::string_view name, std::int64_t bias = 0) {
    patches_.push_back({out_.size(), "", std::string(name), bias});
    return u32(0);
  }
  /// Four bytes that become the distance between two labels.
  Section& distance32(std::string_view from, std::string_view to) {
    patches_.push_back({out_.size(), std::string(from), std::string(to), 0});
    return u32(0);
  }

  std::size_t size() const { return out_.size(); }
  std::size_t at(std::string_view name) const {
    const auto found = labels_.find(name);
    if (found == labels_.end()) throw std::logic_error("no such label: " + std::string(name));
    return found->second;
  }
  /// The bytes with every reference filled in.
  std::vector<std::byte> finish() const {
    std::vector<std::byte> done = out_;
    for (const Patch& patch : patches_) {
      const auto from = patch.from.empty() ? 0 : static_cast<std::int64_t>(at(patch.from));
      const u32le value(static_cast<std::uint32_t>(static_cast<std::int64_t>(at(patch.to)) - from + patch.bias));
      std::memcpy(done.data() + patch.position, &value, sizeof(value));
    }
    return done;
  }

 private:
  struct Patch {
    std::size_t position;
    std::string from;  ///< empty: the start
    std::string to;
    std::int64_t bias;
  };
  std::vector<std::byte> out_;
  std::map<std::string, std::size_t, std::less<>> labels_;
  std::vector<Patch> patches_;
};

/// Overwrites a record in assembled bytes.
template <WireRecord T>
void patch(std::vector<std::byte>& bytes, std::size_t at, const T& record) {
  if (at > bytes.size() || sizeof(T) > bytes.size() - at) throw std::logic_error("patch outside the bytes");
  std::memcpy(bytes.data() + at, &record, sizeof(T));
}

/// A copy in memory of exactly its size, so that ASan sees the first byte too far.
struct Exact {
  explicit Exact(Bytes from) : size(from.size()), owned(std::make_unique<std::byte[]>(size)) {
    std::copy(from.begin(), from.end(), owned.get());
  }
  Bytes bytes() const { return {owned.get(), size}; }
  std::size_t size;
  std::unique_ptr<std::byte[]> owned;
};

}  // namespace symcached::testkit
