#include "formats/pdb/source_server.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ascii.hpp"

namespace symcached::pdb {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr unsigned kMaxDepth = 16;
constexpr std::size_t kFields = 10;  ///< var1 to var10
/// Bytes looked at and written: several times what streams of real programs take, so that only hostile ones end here.
constexpr std::uint64_t kWorkPerByte = 64, kWorkFloor = 1u << 20;

enum class Section { none, ini, variables, files, end };

/// Each line that starts so begins a section; dashes follow.
struct SectionRow {
  std::string_view start;
  Section section;
};
constexpr auto kSectionRows = std::to_array<SectionRow>({
    {"srcsrv: ini", Section::ini},
    {"srcsrv: variables", Section::variables},
    {"srcsrv: source files", Section::files},
    {"srcsrv: end", Section::end},
});

std::optional<Section> section_of(std::string_view line) {
  constexpr std::size_t kLongest = 20;
  const std::string start = lower_ascii(line.substr(0, kLongest));
  for (const SectionRow& row : kSectionRows)
    if (start.starts_with(row.start)) return row.section;
  return std::nullopt;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank(" \t\r\0", 4);
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// Whether a `%` that no variable follows is that of an encoded byte in a URL.
bool is_encoded_byte(std::string_view name) { return name.size() >= 2 && hex_digit(name[0]) && hex_digit(name[1]); }

/// Length of "(…)" at the start, with the parentheses inside of it closed; nothing if there is none.
std::optional<std::size_t> parenthesized(std::string_view text) {
  if (!text.starts_with('(')) return std::nullopt;
  std::size_t open = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++open;
    if (text[i] == ')' && --open == 0) return i + 1;
  }
  return std::nullopt;
}

bool is_web_url(std::string_view text) {
  const std::string start = lower_ascii(text.substr(0, 8));
  return start.starts_with("http://") || start.starts_with("https://");
}

/// Bytes that RFC 3986 allows nowhere, and `*`, which would have a meaning in a rule of Source Link.
constexpr bool must_be_encoded(char c) {
  return c <= ' ' || c == '\x7F' || std::string_view("\"<>^`{|}*").find(c) != std::string_view::npos;
}

std::string encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string url;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\') url += '/';
    else if (byte >= 0x80 || must_be_encoded(c)) url += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    else url += c;
  }
  return url;
}

}  // namespace

/// Of one file. Every function but the first appends to `out`, and is false where there is no target.
class SourceServer::Expansion {
 public:
  Expansion(const Variables& variables, std::string_view entry, std::uint64_t& work_left)
      : variables_(variables), work_left_(work_left) {
    for (std::string_view& field : fields_) {
      const std::size_t star = entry.find('*');
      field = entry.substr(0, star);
      ++field_count_;
      if (star == entry.npos) break;
      entry.remove_prefix(star + 1);
    }
  }

  /// @param name  in lower case
  bool variable(std::string_view name, unsigned depth, std::string& out) {
    if (const auto number = field_number(name)) return *number <= field_count_ && append(fields_[*number - 1], out);
    const auto found = variables_.find(name);
    return found != variables_.end() && expand(found->second, depth + 1, out);
  }

 private:
  static std::optional<std::size_t> field_number(std::string_view name) {
    if (!name.starts_with("var")) return std::nullopt;
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(name.data() + 3, name.data() + name.size(), number);
    const bool is_one = error == std::errc() && end == name.data() + name.size() && number >= 1 && number <= kFields;
    return is_one ? std::optional(number) : std::nullopt;
  }

  bool work(std::size_t bytes) {
    if (bytes > work_left_) return false;
    work_left_ -= bytes;
    return true;
  }

  bool append(std::string_view text, std::string& out) {
    if (text.size() > kMaxSourceServerTarget - out.size() || !work(text.size())) return false;
    out += text;
    return true;
  }

  bool expand(std::string_view text, unsigned depth, std::string& out) {
    if (depth > kMaxDepth || !work(text.size() + 1)) return false;
    while (true) {
      const std::size_t percent = text.find('%');
      if (!append(text.substr(0, percent), out)) return false;
      if (percent == text.npos) return true;
      text.remove_prefix(percent);
      const auto used = reference(text, depth, out);
      if (!used) return false;
      text.remove_prefix(*used);
    }
  }

  /// @param text  starts with `%`
  /// @return      how much of it was one reference, or a `%` that is none
  std::optional<std::size_t> reference(std::string_view text, unsigned depth, std::string& out) {
    const std::size_t close = text.find('%', 1);
    const std::string name = close == text.npos ? std::string() : lower_ascii(text.substr(1, close - 1));
    if (name == "fnvar" || name == "fnbksl" || name == "fnfile") {
      const auto size = parenthesized(text.substr(close + 1));
      if (!size || !function(name, text.substr(close + 2, *size - 2), depth, out)) return std::nullopt;
      return close + 1 + *size;
    }
    if (close != text.npos && (variables_.contains(name) || field_number(name)))
      return variable(name, depth, out) ? std::optional(close + 1) : std::nullopt;
    if (!is_encoded_byte(text.substr(1)) || !append("%", out)) return std::nullopt;
    return 1;
  }

  bool function(std::string_view name, std::string_view argument, unsigned depth, std::string& out) {
    std::string text;
    if (!expand(argument, depth + 1, text)) return false;
    if (name == "fnvar") return variable(lower_ascii(trimmed(text)), depth + 1, out);
    if (name == "fnbksl") std::ranges::replace(text, '/', '\\');
    else text.erase(0, text.find_last_of("/\\") + 1);
    return append(text, out);
  }

  const Variables& variables_;
  std::uint64_t& work_left_;
  std::array<std::string_view, kFields> fields_;
  std::size_t field_count_ = 0;
};

Read<SourceServer> SourceServer::parse(std::string_view text) {
  if (text.size() > kMaxSourceServer) return too_large("pdb.srcsrv", 0, text.size(), kMaxSourceServer);
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  SourceServer server;
  server.work_left_ = text.size() * kWorkPerByte + kWorkFloor;
  Section section = Section::none;
  bool lists_files = false;
  while (!text.empty() && section != Section::end) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (const auto begun = section_of(line)) section = *begun;
    else if (section == Section::variables) server.add_variable(line);
    else if (section == Section::files) server.add_file(line);
    lists_files |= section == Section::files;
  }
  if (!lists_files) return unsupported("no section \"SRCSRV: source files\" (pdb.srcsrv)", 0);
  return server;
}

void SourceServer::add_variable(std::string_view line) {
  const std::size_t equals = line.find('=');
  if (equals == line.npos || line.size() > kMaxSourceServerTarget || variables_.size() == kMaxSourceServerVariables)
    return;
  const std::string_view name = trimmed(line.substr(0, equals));
  variables_.insert_or_assign(lower_ascii(name), trimmed(line.substr(equals + 1)));
}

void SourceServer::add_file(std::string_view line) {
  const std::string_view path = line.substr(0, line.find('*'));
  if (!path.empty() && files_.size() < kMaxSourceServerFiles) files_.push_back({path, line});
}

std::optional<std::string> SourceServer::url_of(const File& file) {
  std::string target;
  if (!Expansion(variables_, file.entry, work_left_).variable("srcsrvtrg", 0, target)) return std::nullopt;
  const std::string_view url = trimmed(target);
  return is_web_url(url) ? std::optional(encoded(url)) : std::nullopt;
}

}  // namespace symcached::pdb
