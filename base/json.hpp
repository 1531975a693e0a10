#pragma once
/// Members of JSON objects that others wrote. Only a header: those who include it link Boost.JSON.
#include <boost/json/value.hpp>
#include <string_view>

namespace symcached {

/// The text of a member; empty if there is none, or something else. Lives as long as the object.
inline std::string_view json_text(const boost::json::object& object, std::string_view key) {
  const boost::json::value* const value = object.if_contains({key.data(), key.size()});
  const boost::json::string* const text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string_view() : std::string_view(text->data(), text->size());
}

}  // namespace symcached
