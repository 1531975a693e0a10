#pragma once
/// Texts in JSON, for those who write it straight into a buffer.
#include <string>
#include <string_view>

namespace symcached {

/// Appends `text` with its quotes. Bytes that are no UTF-8 become U+FFFD.
/// Cost: about that of copying it; nothing is allocated but what `out` grows by.
void append_json_text(std::string_view text, std::string& out);

}  // namespace symcached
