#pragma once
/// Where the modules of a process lay, as far as the text says.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace symcached::traces {

inline constexpr std::size_t kMaxMappings = 200'000;  ///< of one text; further ones are left out
inline constexpr std::size_t kMaxModuleName = 4096;   ///< bytes; longer ones are left out

/// What the number that a mapping leads to means.
enum class Mapped : std::uint8_t {
  file,   ///< the start is a place in the file: bytes from there on lie in it one behind the other
  image,  ///< the start is the image's lowest address
  link,   ///< the start is an address that the file states
};

struct Mapping {
  std::uint64_t start = 0, end = 0;  ///< end is exclusive
  Mapped kind = Mapped::file;
  std::uint64_t at = 0;     ///< what the start is: offset in the file, 0, or the stated address
  std::string module = {};  ///< path or name
  std::string build_id = {};
  std::optional<std::uint64_t> image_start = {};  ///< the lowest address of the whole image, if that is known
};

/// Later rows replace what they overlap: another process, or the same one later.
class ModuleMap {
 public:
  void add(Mapping mapping);
  /// A module of which only the start is known: it ends where the next one starts, or after 2 GiB.
  void add_base(std::uint64_t base, std::string_view module, std::string_view build_id);
  /// Null: nothing is known of the address. Valid until the next change.
  const Mapping* find(std::uint64_t address) const;
  void clear();
  std::size_t size() const { return rows_.size(); }

  /// What address minus stated address is for a module, learnt from a frame that has both. Once it was learnt to be
  /// two, as of several processes in one text, it counts as unknown.
  void learn_bias(std::string_view module, std::uint64_t bias);
  std::optional<std::uint64_t> bias_of(std::string_view module) const;

 private:
  std::map<std::uint64_t, Mapping> rows_;                                    // by start
  std::map<std::string, std::optional<std::uint64_t>, std::less<>> biases_;  // none: it was learnt to be two
};

}  // namespace symcached::traces
