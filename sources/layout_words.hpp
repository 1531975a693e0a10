#pragma once
/// The words that patterns of layouts are made of: their texts for a request, and their shapes in a path.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sources/module_ids.hpp"

namespace symcached::sources {

enum class Word : std::uint8_t {
  debug_file,  ///< plain name; of an ELF or Mach-O file without one the code_file
  debug_file_lower,
  code_file,
  code_file_lower,
  sym_file,     ///< debug_file without ".pdb", with ".sym"
  bundle_file,  ///< debug_file without its extension, with ".src.zip"
  guid_upper,
  guid_lower,
  age_upper,  ///< hex, no leading zeros
  age_lower,
  timestamp_upper,  ///< of a PE image, 8 digits
  timestamp_lower,
  size_upper,  ///< of a PE image, hex, no leading zeros
  size_lower,
  build_id,        ///< of ELF and Wasm
  build_id_20,     ///< filled with zeros to 20 bytes
  build_id_start,  ///< the first two digits
  build_id_rest,
  uuid,  ///< of Mach-O, lower case
  uuid_start,
  uuid_rest,
  uuid_split,  ///< groups of 4, 4, 4, 4, 4 and 12 digits, upper case
  id_start,    ///< GUID and age of the debug id, lower case: the first two digits
  id_rest,
  code_id,
  code_id_upper,
};

/// What a word may match in a path.
enum class Shape : std::uint8_t { name, guid, number, stamp, hex, two_digits, split };

struct WordRow {
  Word word;
  std::string_view text;  ///< as patterns have it, without braces
  Shape shape;
};

/// Nothing for what is no word.
const WordRow* find_word(std::string_view text);

/// The words that are known of a request, each at most once.
class Words {
 public:
  explicit Words(const FileRequest& request);
  std::optional<std::string_view> find(Word word) const;

 private:
  void add(Word word, std::string text);
  void add_names(const FileRequest& request);
  void add_debug_id(const DebugId& id, bool is_portable);
  void add_code_id(const FileRequest& request);

  std::vector<std::pair<Word, std::string>> known_;
};

/// A word's text cut off the front of `path`; nothing if it has another shape.
/// @param behind  literal text that follows the word up to the next '/' or word
std::optional<std::string_view> take_word(Shape shape, std::string_view behind, std::string_view& path);

/// The module that words of a path name, before anybody checked it.
ModuleIds module_of(const std::vector<std::pair<Word, std::string_view>>& words);

}  // namespace symcached::sources
