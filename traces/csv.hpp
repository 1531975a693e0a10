#pragma once
/// Rows of tables between commas.
#include <string_view>
#include <vector>

#include "traces/scan.hpp"

namespace symcached::traces {

inline constexpr std::size_t kMaxCsvFields = 64;  ///< of a row; the rest is left out

/// Fields without blanks around them, and without quotes, within which commas count for nothing.
inline std::vector<std::string_view> csv_fields(std::string_view row) {
  std::vector<std::string_view> fields;
  bool quoted = false;
  for (std::size_t start = 0, i = 0; i <= row.size() && fields.size() < kMaxCsvFields; ++i) {
    if (i < row.size() && row[i] == '"') quoted = !quoted;
    if (i < row.size() && (quoted || row[i] != ',')) continue;
    std::string_view field = trim(row.substr(start, i - start));
    if (field.size() > 1 && field.front() == '"' && field.back() == '"') field = field.substr(1, field.size() - 2);
    fields.push_back(field);
    start = i + 1;
  }
  return fields;
}

}  // namespace symcached::traces
