#include "sources/source_rules.hpp"

#include <type_traits>

namespace symcached::sources {
namespace {

/// Each value with an end that no other text can stand for.
class Text {
 public:
  template <class T>
    requires std::is_enum_v<T> || std::is_integral_v<T>
  Text& put(T value) {
    all_ += std::to_string(static_cast<std::uint64_t>(value)) + ' ';
    return *this;
  }
  Text& put(const std::string& value) {
    put(value.size());
    all_ += value;
    return *this;
  }
  std::string take() { return std::move(all_); }

 private:
  std::string all_;
};

}  // namespace

std::string rules_text(const SourceConfig& config) {
  Text text;
  text.put(config.layout).put(config.casing).put(config.has_index).put(config.probing);
  text.put(config.filters.requires_checksum).put(config.filters.file_types.size());
  for (const FileType type : config.filters.file_types) text.put(type);
  text.put(config.filters.path_patterns.size());
  for (const std::string& pattern : config.filters.path_patterns) text.put(pattern);
  for (const PathMapping& mapping : config.path_map) text.put(mapping.prefix).put(mapping.target);
  const NetworkRules& network = config.network;
  text.put(network.proxy.has_value()).put(network.proxy.value_or("")).put(network.user_agent.value_or(""));
  text.put(network.accept_invalid_certs).put(network.ca_file).put(network.client_certificate);
  text.put(network.max_download_size.value_or(0));
  return text.take();
}

}  // namespace symcached::sources
