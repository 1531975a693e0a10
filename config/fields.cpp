#include "config/fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/ascii.hpp"
#include "base/quantity.hpp"
#include "config/address.hpp"
#include "config/amounts.hpp"
#include "sources/source_words.hpp"

namespace symcached::config {
namespace {

using std::chrono::milliseconds;

template <class Number>
std::optional<Number> parse_whole(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

constexpr std::string_view kHiddenCredentials = "://***@";

/// Of a URL; other texts stay.
std::string without_credentials(std::string text) {
  const std::size_t scheme = text.find("://");
  if (scheme == text.npos) return text;
  const std::size_t start = scheme + 3;
  const std::size_t at = text.substr(0, text.find('/', start)).rfind('@');
  return at == text.npos ? text : text.replace(start, at - start, kHidden);
}

void warn_of_hidden(const Node& node, const std::string& key, Report& report) {
  report.warning(node.line, fmt::format("{}: \"{}\" stands for a secret that was not printed", key, kHidden));
}

}  // namespace

std::string wanted(std::string_view what, const Node& found) {
  return fmt::format("wanted {}, found {}", what, kind_name(found));
}

Field scalar(std::string type, SetText set, GetText get) {
  const std::string what = type;
  return {std::move(type), false,
          [what, set = std::move(set)](const Node& node, const std::string& key, Report& report) {
            const std::string why = node.is_scalar() ? set(node.text) : wanted(what, node);
            if (node.text.find(kHiddenCredentials) != node.text.npos) warn_of_hidden(node, key, report);
            if (!why.empty()) report.error(node.line, fmt::format("{}: {}", key, why));
          },
          [get = std::move(get)](Secrets secrets) {
            auto value = get();
            if (!value) return Node{};
            return Node::scalar(secrets == Secrets::hidden ? without_credentials(std::move(*value)) : *value);
          }};
}

Field text(std::string& value) {
  return scalar(
      "text", [&value](const std::string& given) { return value = given, std::string(); }, [&value] { return value; });
}

Field text_or_null(std::optional<std::string>& value, std::string_view null) {
  Field field = scalar(
      fmt::format("text; null: {}", null), [&value](const std::string& given) { return value = given, std::string(); },
      [&value] { return value; });
  field.takes_null = true;
  field.read = [&value, read = field.read](const Node& node, const std::string& key, Report& report) {
    if (node.is_null()) value.reset();
    else read(node, key, report);
  };
  return field;
}

Field secret(std::string& value) {
  Field field = text(value);
  field.type = "secret text";
  field.read = [&value](const Node& node, const std::string& key, Report& report) {
    if (!node.is_scalar()) return report.error(node.line, fmt::format("{}: {}", key, wanted("text", node)));
    if (node.text == kHidden) warn_of_hidden(node, key, report);
    value = node.text;
  };
  field.write = [&value](Secrets secrets) {
    return Node::scalar(secrets == Secrets::hidden && !value.empty() ? std::string(kHidden) : value);
  };
  return field;
}

Field address(std::string& value, bool may_be_empty) {
  const auto set = [&value, may_be_empty](const std::string& given) {
    std::string why = given.empty() && may_be_empty ? "" : check_address(given);
    if (why.empty()) value = given;
    return why;
  };
  return scalar(may_be_empty ? "ADDRESS:PORT, or empty" : "ADDRESS:PORT", set, [&value] { return value; });
}

Field server(std::string& value) {
  const auto set = [&value](const std::string& given) {
    std::string why = given.empty() ? "" : check_server(given);
    if (why.empty()) value = given;
    return why;
  };
  return scalar("HOST:PORT, or empty", set, [&value] { return value; });
}

Field flag(bool& value) {
  const auto set = [&value](const std::string& given) -> std::string {
    const std::string lower = lower_ascii(given);
    if (lower != "true" && lower != "false") return fmt::format("\"{}\": write true or false", given);
    value = lower == "true";
    return {};
  };
  return scalar("true or false", set, [&value] { return std::string(value ? "true" : "false"); });
}

Field texts(std::vector<std::string>& value) {
  return {"list of texts", false,
          [&value](const Node& node, const std::string& key, Report& report) {
            value.clear();
            if (!node.is_sequence())
              return report.error(node.line, fmt::format("{}: {}", key, wanted("a list of texts", node)));
            for (const Node& item : node.items) {
              if (item.is_scalar()) value.push_back(item.text);
              else report.error(item.line, fmt::format("{}: {}", key, wanted("text", item)));
            }
          },
          [&value](Secrets) {
            Node node{Node::Kind::sequence};
            for (const std::string& item : value) node.items.push_back(Node::scalar(item));
            return node;
          }};
}

Field prefixes(std::vector<std::string>& value) {
  Field field = texts(value);
  field.read = [&value, read = field.read](const Node& node, const std::string& key, Report& report) {
    read(node, key, report);
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
    for (const std::string& prefix : value)
      if (!prefix.starts_with('/') || prefix.ends_with('/') || prefix.find("//") != prefix.npos ||
          prefix.find_first_not_of(kPlain) != prefix.npos)
        report.error(node.line, fmt::format("{}: \"{}\": write a path such as /team/symbols", key, prefix));
  };
  return field;
}

Field headers(std::vector<sources::Header>& value) {
  return {"map of texts", false,
          [&value](const Node& node, const std::string& key, Report& report) {
            value.clear();
            if (!node.is_map()) return report.error(node.line, fmt::format("{}: {}", key, wanted("a map", node)));
            for (const Node& item : node.items) {
              if (!item.is_scalar() || !sources::is_header(item.key, item.text))
                report.error(item.line, fmt::format("{}.{}: not a header of one line", key, item.key));
              else value.emplace_back(item.key, item.text);
            }
          },
          [&value](Secrets secrets) {
            Node node{Node::Kind::map};
            for (const auto& [name, content] : value) {
              node.items.push_back(Node::scalar(secrets == Secrets::hidden ? std::string(kHidden) : content));
              node.items.back().key = name;
            }
            return node;
          }};
}

Field decimal(double& value, double highest) {
  const auto set = [&value, highest](const std::string& given) -> std::string {
    const auto number = parse_whole<double>(given);
    if (!number || !std::isfinite(*number) || *number < 0 || *number > highest)
      return fmt::format("\"{}\" is not a number from 0 to {}", given, highest);
    value = *number;
    return {};
  };
  return scalar(fmt::format("number, 0 to {}", highest), set, [&value] { return fmt::format("{}", value); });
}

Field url(std::string& value) {
  const auto set = [&value](const std::string& given) -> std::string {
    if (!sources::is_http_url(given))
      return fmt::format("\"{}\": write a URL that begins with http:// or https://", without_credentials(given));
    value = given;
    return {};
  };
  return scalar("URL", set, [&value] { return value; });
}

Field free_space(store::FreeSpace& value) {
  const auto set = [&value](const std::string& given) -> std::string {
    if (given.ends_with('%')) {
      const auto percent = parse_percent(given);
      if (!percent) return percent.error();
      value = {0, *percent};
      return {};
    }
    const auto bytes = parse_size(given);
    if (!bytes) return bytes.error();
    value = {*bytes, 0};
    return {};
  };
  return scalar("size or part of the disk, as 5%", set, [&value] {
    return value.percent > 0 ? fmt::format("{}%", value.percent) : exact_size_text(value.bytes);
  });
}

Field choice_of_texts(std::vector<std::string_view> names, std::function<void(std::size_t)> set,
                      std::function<std::size_t()> get) {
  const std::string all = fmt::format("{}", fmt::join(names, ", "));
  return scalar(
      "one of " + all,
      [names, all, set](const std::string& given) -> std::string {
        const auto found = std::ranges::find(names, std::string_view(given));
        if (found == names.end()) return fmt::format("\"{}\": write one of {}", given, all);
        set(static_cast<std::size_t>(found - names.begin()));
        return {};
      },
      [names, get] { return std::string(names[get()]); });
}

Field whole_number(Bounds bounds, std::function<void(std::uint64_t)> set, std::function<std::uint64_t()> get) {
  const auto check = [bounds, set](const std::string& given) -> std::string {
    const auto number = parse_whole<std::uint64_t>(given);
    if (!number || *number < bounds.lowest || *number > bounds.highest)
      return fmt::format("\"{}\" is not a number from {} to {}", given, bounds.lowest, bounds.highest);
    set(*number);
    return {};
  };
  return scalar(fmt::format("number, {} to {}", bounds.lowest, bounds.highest), check,
                [get] { return std::to_string(get()); });
}

Field byte_count(Bounds bounds, std::uint64_t unit, std::function<void(std::uint64_t)> set,
                 std::function<std::uint64_t()> get) {
  const auto check = [bounds, unit, set](const std::string& given) -> std::string {
    const auto bytes = parse_size(given);
    if (!bytes) return bytes.error();
    if (*bytes % unit != 0) return fmt::format("\"{}\": write a multiple of {}", given, exact_size_text(unit));
    if (*bytes < bounds.lowest || *bytes > bounds.highest)
      return fmt::format("\"{}\" is out of range; write {} to {}", given, exact_size_text(bounds.lowest),
                         exact_size_text(bounds.highest));
    set(*bytes);
    return {};
  };
  return scalar(fmt::format("size, {} to {}", exact_size_text(bounds.lowest), exact_size_text(bounds.highest)), check,
                [get] { return exact_size_text(get()); });
}

Field size_in_mebibytes(std::uint64_t& value, Bounds mebibytes) {
  constexpr std::uint64_t kUnit = std::uint64_t{1} << 20;
  return byte_count(
      {mebibytes.lowest * kUnit, mebibytes.highest * kUnit}, kUnit,
      [&value](std::uint64_t bytes) { value = bytes / kUnit; }, [&value] { return value * kUnit; });
}

Field size_or_null(std::optional<std::uint64_t>& value, std::string_view null) {
  Field field = scalar(
      fmt::format("size; null: {}", null),
      [&value](const std::string& given) -> std::string {
        const auto bytes = parse_size(given);
        if (!bytes) return bytes.error();
        value = *bytes;
        return {};
      },
      [&value]() -> std::optional<std::string> {
        if (!value) return std::nullopt;
        return exact_size_text(*value);
      });
  field.takes_null = true;
  field.read = [&value, read = field.read](const Node& node, const std::string& key, Report& report) {
    if (node.is_null()) value.reset();
    else read(node, key, report);
  };
  return field;
}

Field time_span(TimeBounds bounds, milliseconds unit, std::function<void(milliseconds)> set,
                std::function<milliseconds()> get) {
  const std::string range = fmt::format("{} to {}", duration_text(bounds.lowest), duration_text(bounds.highest));
  return {"time, " + range, false,
          [bounds, unit, range, set](const Node& node, const std::string& key, Report& report) {
            const auto length = read_duration(node);
            const auto fault = [&](const std::string& why) {
              report.error(node.line, fmt::format("{}: {}", key, why));
            };
            if (!length) return fault(length.error());
            if (*length < bounds.lowest || *length > bounds.highest)
              return fault(fmt::format("\"{}\" is out of range; write {}", duration_text(*length), range));
            if (length->count() % unit.count() != 0)
              return fault(fmt::format("\"{}\": write whole seconds", duration_text(*length)));
            set(*length);
          },
          [get](Secrets) { return Node::scalar(duration_text(get())); }};
}

}  // namespace symcached::config
