#pragma once
/// Texts of symcaches that were put together once. The same inlined functions and files are met again and again: a
/// lookup that finds them here reads neither their subprogram nor their runs.
#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace symcached::symcache {

/// What a caller made of a name, such as the demangled one; it lies where the name does.
struct DerivedText {
  const char* data = nullptr;
  std::uint32_t size = 0;
  std::uint32_t kind = 0;  ///< what it is, in the caller's words; 0 = nothing yet

  std::string_view text() const { return {data, size}; }
};

/// Which text: of what cache, and where in it.
struct TextKey {
  std::uint64_t cache = 0;     ///< Symcache's own number; 0 = none
  std::uint64_t position = 0;  ///< what the reader tells them apart by
  bool operator==(const TextKey&) const = default;
};

/// A subprogram as lookups need it, or a file, which is a path alone.
struct KnownText {
  static constexpr std::uint32_t kBadPath = 0xFFFFFFFF;

  TextKey key = {};
  const char* name = nullptr;  ///< the parameters behind it
  std::uint32_t name_size = 0, parameters_size = 0;
  const char* path = nullptr;
  std::uint32_t path_size = 0;  ///< kBadPath: the file is wrong there
  std::uint32_t base_line = 0;
  DerivedText derived = {};
};
static_assert(sizeof(KnownText) == 64);

/// Memory that is handed out from the front and given back all at once.
class TextMemory {
 public:
  /// Room for `size` characters, which stay where they are until clear().
  char* take(std::size_t size);
  /// Gives back the end of what was taken last.
  void trim(std::size_t unused) { used_ -= unused; }
  /// Keeps the last, largest piece for what comes next.
  void clear();
  std::size_t bytes() const { return full_bytes_ + used_; }

 private:
  std::vector<std::unique_ptr<char[]>> full_;
  std::unique_ptr<char[]> piece_;
  std::size_t size_ = 0, used_ = 0, full_bytes_ = 0;
};

/// A hash table of them. Entries stay where they are from one begin() to the next.
class TextMemo {
 public:
  /// @param kept  bytes that texts may take before all are forgotten, and the table besides; one answer may go beyond
  explicit TextMemo(std::size_t kept) : kept_(kept) {}

  /// To be called before each answer: makes room in the table, or forgets everything.
  void begin();
  /// Asks for the memory that find() would read.
  void prefetch(TextKey key) const {
    if (!entries_.empty()) __builtin_prefetch(&entries_[slot_of(key)]);
  }
  /// Null: not known.
  KnownText* find(TextKey key);
  /// False: what is not known has to wait for the next answer.
  bool has_room() const { return used_ + 1 < entries_.size() && memory.bytes() <= kept_; }
  /// To be called only if has_room(). @return the entry, with what `made` holds
  KnownText* add(const KnownText& made);

  TextMemory memory;  ///< for what entries point to

 private:
  static constexpr std::size_t kFirstEntries = 64;
  std::size_t slot_of(TextKey key) const {
    return ((key.position ^ (key.cache << 40)) * 0x9E3779B97F4A7C15u) >> shift_;
  }
  void resize(std::size_t entries);

  std::size_t kept_, used_ = 0;
  unsigned shift_ = 63;
  std::vector<KnownText> entries_;
};

}  // namespace symcached::symcache
