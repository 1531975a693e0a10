#pragma once
/// Gives each different text a number, in order of arrival. Texts are copied once and stay where they are.
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace symcached::symcache {

class Interner {
 public:
  Interner() { texts_.emplace_back(); }  // 0 is the empty text

  std::uint32_t intern(std::string_view text);
  /// Lives as long as the interner.
  std::string_view text(std::uint32_t id) const { return texts_[id]; }
  std::size_t size() const { return texts_.size(); }

 private:
  struct Slot {
    std::uint32_t hash = 0, id = 0;  // id 0 = free
  };
  std::string_view copy(std::string_view text);
  void grow();

  std::vector<std::string_view> texts_;
  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::size_t chunk_left_ = 0;
  char* chunk_at_ = nullptr;
};

}  // namespace symcached::symcache
