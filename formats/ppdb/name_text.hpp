#pragma once
/// Text that may not grow beyond a limit: names are put together from parts that a hostile file repeats.
#include <string>
#include <string_view>

namespace symcached::ppdb {

/// Bytes of one name, with everything that belongs to it. What is cut off is not said by the text itself.
inline constexpr std::size_t kMaxName = 16 * 1024;

class NameText {
 public:
  NameText& operator+=(std::string_view part) {
    if (part.size() > kMaxName - text_.size()) full_ = true;
    else text_ += part;
    return *this;
  }
  NameText& operator+=(char c) { return *this += std::string_view(&c, 1); }

  bool empty() const { return text_.empty(); }
  bool full() const { return full_; }  ///< something did not fit
  std::size_t size() const { return text_.size(); }
  std::string take() && { return std::move(text_); }

 private:
  std::string text_;
  bool full_ = false;
};

}  // namespace symcached::ppdb
