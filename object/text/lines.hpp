#pragma once
/// Goes over the lines of a text.
#include <string_view>

namespace symcached::object {

class TextLines {
 public:
  explicit TextLines(std::string_view text) : rest_(text) {}
  bool at_end() const { return rest_.empty(); }
  /// Without its line feed.
  std::string_view next() {
    const std::size_t feed = rest_.find('\n');
    const std::string_view line = rest_.substr(0, feed);
    rest_.remove_prefix(feed == std::string_view::npos ? rest_.size() : feed + 1);
    return line;
  }

 private:
  std::string_view rest_;
};

}  // namespace symcached::object
