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

  /// A number of its own for a function's name with parameters; its text is the name.
  /// @param name, parameters  of intern(); 0: the name itself
  std::uint32_t with_parameters(std::uint32_t name, std::uint32_t parameters);
  /// The name alone: what intern() gave its text.
  std::uint32_t name(std::uint32_t id) const {
    return id < functions_.size() && functions_[id].name != 0 ? functions_[id].name : id;
  }
  /// 0: none.
  std::uint32_t parameters(std::uint32_t id) const { return id < functions_.size() ? functions_[id].parameters : 0; }
  bool has_parameters() const { return !functions_.empty(); }

 private:
  struct Slot {
    std::uint32_t hash = 0, id = 0;  // id 0 = free
  };
  struct Function {
    std::uint32_t name = 0, parameters = 0;
    bool operator==(const Function&) const = default;
  };
  std::string_view copy(std::string_view text);
  void grow();

  std::vector<std::string_view> texts_;
  std::vector<Slot> slots_;
  std::vector<Function> functions_;  // by id, up to the last one with parameters
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::size_t chunk_left_ = 0;
  char* chunk_at_ = nullptr;
};

}  // namespace symcached::symcache
