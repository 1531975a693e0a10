#pragma once
/// Members of the objects in a request. The first one that is not what it has to be is told, all others are left alone.
#include <fmt/format.h>

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace symcached::api {

/// "0x1f", a number or its decimal digits: exactly, up to 64 bits. Nothing for all else.
std::optional<std::uint64_t> parse_address(const boost::json::value& value);

/// A null counts as not there.
class JsonMembers {
 public:
  /// @param fault  empty until something is wrong: then "KEY: wanted …, found …"
  JsonMembers(const boost::json::object& object, std::string& fault) : object_(object), fault_(fault) {}

  const boost::json::value* find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }

  // `out` stays if there is no such member.
  void text(std::string_view key, std::string_view& out);
  void text(std::string_view key, std::string& out);
  void text(std::string_view key, std::optional<std::string_view>& out);
  void flag(std::string_view key, bool& out);
  void flag(std::string_view key, std::optional<bool>& out);
  void address(std::string_view key, std::uint64_t& out);
  void address(std::string_view key, std::optional<std::uint64_t>& out);
  void number(std::string_view key, std::optional<std::uint32_t>& out);
  /// Null: there is none, or it is something else, which is told.
  const boost::json::array* array(std::string_view key);
  const boost::json::object* object(std::string_view key);

  void needed(std::string_view key);
  void wrong(std::string_view key, std::string_view why);

 private:
  template <class Out>
  void read_text(std::string_view key, Out& out);
  void other(std::string_view key, std::string_view wanted, const boost::json::value& found);

  const boost::json::object& object_;
  std::string& fault_;
};

/// For a fault inside of a member: where it is, in front of it.
inline void place_fault(std::string& fault, std::string_view list, std::size_t index) {
  if (!fault.empty()) fault = fmt::format("{}[{}].{}", list, index, fault);
}

}  // namespace symcached::api
