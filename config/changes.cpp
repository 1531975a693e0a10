#include "config/changes.hpp"

#include "config/schema.hpp"

namespace symcached::config {

std::vector<Change> changes(Config before, Config after) {
  const Rows old_rows = rows_of(before), new_rows = rows_of(after);
  std::vector<Change> all;
  for (std::size_t i = 0; i < old_rows.size(); ++i) {
    const auto text = [i](const Rows& rows) { return yaml_text(rows[i].field.write(Secrets::shown), 0); };
    if (text(old_rows) != text(new_rows)) all.push_back({old_rows[i].key, old_rows[i].use});
  }
  return all;
}

}  // namespace symcached::config
