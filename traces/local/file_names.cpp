#include "traces/local/file_names.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "base/path_text.hpp"
#include "sources/file_name.hpp"

namespace symcached::traces {
namespace {

void add_windows_names(std::string_view name, std::vector<FileName>& names) {
  const std::size_t dot = name.rfind('.');
  const std::string stem(name.substr(0, dot));
  if (dot == name.npos)
    for (const char* extension : {".exe", ".dll", ".sys"}) names.push_back({stem + extension});
  for (const char* extension : {".pdb", ".sym"}) names.push_back({stem + extension});
}

/// The kernel prints '_' where a module's file may have '-'.
void add_kernel_module(std::string_view name, std::vector<FileName>& names) {
  std::string dashes(name);
  std::ranges::replace(dashes, '_', '-');
  for (const std::string& stem : {std::string(name), dashes}) {
    for (const char* extension : {".ko", ".ko.debug", ".ko.xz", ".ko.zst", ".ko.gz"})
      names.push_back({stem + extension});
    if (stem == dashes) break;
  }
}

}  // namespace

std::vector<FileName> file_names_of(std::string_view module) {
  std::vector<FileName> names;
  const std::string_view last = last_path_part(module);
  if (!sources::check_file_name(last)) return names;
  const std::string name = lower_ascii(last);
  names.push_back({name});
  for (const char* extension : {".debug", ".dbg", ".symcache", ".sym"}) names.push_back({name + extension});
  if (const std::size_t so = name.find(".so"); so != name.npos) names.push_back({name.substr(0, so + 3), true});
  if (name == "vmlinux") names.push_back({name, true});
  else if (name.find('.') == name.npos) add_kernel_module(name, names);
  add_windows_names(name, names);
  return names;
}

bool fits(const FileName& pattern, std::string_view name) {
  if (!name.starts_with(pattern.start)) return false;
  std::string_view more = name.substr(pattern.start.size());
  if (more.empty() || !pattern.may_have_more) return more.empty();
  if (more.ends_with(".debug")) more.remove_suffix(6);
  if (more.empty() || more.front() == '-') return true;
  return more.front() == '.' && more.find_first_not_of(".0123456789") == more.npos;
}

}  // namespace symcached::traces
