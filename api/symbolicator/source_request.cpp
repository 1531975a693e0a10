#include "api/symbolicator/source_request.hpp"

#include <algorithm>
#include <span>

#include "api/symbolicator/json_members.hpp"
#include "sources/source_words.hpp"

namespace symcached::api {
namespace {

namespace json = boost::json;
using namespace sources;

constexpr std::size_t kMaxUrl = 8192, kMaxHeaders = 64, kMaxPatterns = 100, kMaxPattern = 1024;  // texts: bytes

/// Reads one source; the first thing that is wrong is in its fault.
class SourceReader {
 public:
  SourceReader(const json::object& from, const SourceRules& rules) : in_(from, fault_), rules_(rules) {}

  SourceConfig read() {
    SourceConfig source{.layout = Layout::native, .probing = sources::Probing::first};
    in_.needed("id");
    in_.text("id", source.id);
    if (!is_source_id(source.id)) in_.wrong("id", "wanted printable characters of ASCII without blanks, at most 128");
    read_place(source.location);
    in_.flag("is_public", source.is_public);
    in_.flag("has_index", source.has_index);
    in_.flag("accept_invalid_certs", source.network.accept_invalid_certs);
    if (const json::object* const layout = in_.object("layout")) read_layout(*layout, source);
    if (const json::object* const filters = in_.object("filters")) read_filters(*filters, source.filters);
    return source;
  }

  const std::string& fault() const { return fault_; }

 private:
  struct TypeRow {
    std::string_view type;
    Location (SourceReader::*read)();
  };
  static std::span<const TypeRow> types();

  void read_place(Location& place) {
    std::string_view type;
    in_.needed("type");
    in_.text("type", type);
    const auto row = std::ranges::find(types(), type, &TypeRow::type);
    if (row != types().end()) place = (this->*row->read)();
    else if (type == "sentry") in_.wrong("type", "sentry: only Sentry's own service has one");
    else in_.wrong("type", "not known here; write http, s3, gcs, azure or filesystem");
  }

  Location read_http() {
    HttpPlace place;
    place.url = url("url");
    in_.needed("url");
    const json::object* const headers = in_.object("headers");
    if (headers == nullptr) return place;
    if (headers->size() > kMaxHeaders) in_.wrong("headers", "too many");
    else
      for (const auto& [name, value] : *headers) add_header(name, value, place);
    return place;
  }

  void add_header(std::string_view name, const json::value& value, HttpPlace& place) {
    const json::string* const text = value.if_string();
    if (text == nullptr || !is_header(name, {text->data(), text->size()}))
      return in_.wrong("headers", "one is no header of one line");
    place.headers.emplace_back(name, std::string_view(text->data(), text->size()));
  }

  std::string url(std::string_view key) {
    std::string url;
    in_.text(key, url);
    if (url.size() > kMaxUrl) in_.wrong(key, "too long");
    else if (!url.empty() && !is_http_url(url)) in_.wrong(key, "wanted a URL that begins with http:// or https://");
    return url;
  }

  Location read_s3() {
    S3Place place;
    in_.needed("bucket");
    in_.text("bucket", place.bucket);
    in_.text("prefix", place.prefix);
    read_region(place);
    in_.text("access_key", place.access_key);
    in_.text("secret_key", place.secret_key);
    std::string_view provider = "static";
    in_.text("aws_credentials_provider", provider);
    place.credentials = word("aws_credentials_provider", provider, kCredentialsWords);
    if (place.credentials != S3Place::Credentials::fixed && !rules_.own_credentials)
      in_.wrong("aws_credentials_provider", "requests may not use the credentials of this machine");
    if (place.access_key.empty() != place.secret_key.empty())
      in_.wrong("secret_key", "give both access_key and secret_key, or neither");
    return place;
  }

  /// A name, or a pair of name and endpoint.
  void read_region(S3Place& place) {
    const json::value* const region = in_.find("region");
    const json::array* const pair = region == nullptr ? nullptr : region->if_array();
    if (pair == nullptr) return in_.text("region", place.region);
    if (pair->size() != 2 || !pair->front().is_string() || !pair->back().is_string())
      return in_.wrong("region", "wanted a name, or [NAME, ENDPOINT]");
    place.region = std::string_view(pair->front().get_string());
    place.endpoint = std::string_view(pair->back().get_string());
    place.path_style = true;  // few but Amazon have a host for each bucket
    if (!is_http_url(place.endpoint))
      in_.wrong("region", "the endpoint is no URL that begins with http:// or https://");
  }

  Location read_gcs() {
    GcsPlace place;
    in_.needed("bucket");
    in_.text("bucket", place.bucket);
    in_.text("prefix", place.prefix);
    in_.text("client_email", place.client_email);
    in_.text("private_key", place.private_key);
    in_.text("bearer_token", place.bearer_token);
    if (place.client_email.empty() != place.private_key.empty())
      in_.wrong("private_key", "give both client_email and private_key, or neither");
    return place;
  }

  Location read_azure() {
    AzurePlace place;
    in_.needed("account");
    in_.needed("container");
    in_.text("account", place.account);
    in_.text("container", place.container);
    in_.text("prefix", place.prefix);
    in_.text("sas", place.sas);
    in_.text("shared_key", place.shared_key);
    place.endpoint = url("endpoint");
    return place;
  }

  Location read_folder() {
    FolderPlace place;
    in_.needed("path");
    in_.text("path", place.path);
    if (!rules_.folders) in_.wrong("type", "filesystem: requests may not name directories of this machine");
    return place;
  }

  void read_layout(const json::object& from, SourceConfig& source) {
    JsonMembers layout(from, fault_);
    std::string_view type = "native", casing = "default";
    layout.text("type", type);
    layout.text("casing", casing);
    source.layout = word("layout.type", type, kLayoutWords);
    source.casing = word("layout.casing", casing, kCasingWords);
  }

  template <class Enum, std::size_t N>
  Enum word(std::string_view key, std::string_view given, const std::array<WordOf<Enum>, N>& words) {
    const auto* const found = std::ranges::find(words, given, &WordOf<Enum>::first);
    if (found != words.end()) return found->second;
    in_.wrong(key, "not known here");
    return words.front().second;
  }

  void read_filters(const json::object& from, Filters& filters) {
    JsonMembers in(from, fault_);
    in.flag("requires_checksum", filters.requires_checksum);
    for (const std::string_view name : texts(in, "filetypes", 64)) {
      if (const auto type = parse_file_type(name)) filters.file_types.push_back(*type);
      else if (std::ranges::find(kForeignFileTypes, name) == std::end(kForeignFileTypes))
        in.wrong("filters.filetypes", "one is not known here");
    }
    const json::array* const given = in.array("filetypes");
    if (filters.file_types.empty() && given != nullptr && !given->empty())
      in.wrong("filters.filetypes", "none of them is read here");
    for (const std::string_view pattern : texts(in, "path_patterns", kMaxPatterns)) {
      if (pattern.size() > kMaxPattern) in.wrong("filters.path_patterns", "one is too long");
      filters.path_patterns.emplace_back(pattern);
    }
  }

  static std::vector<std::string_view> texts(JsonMembers& in, std::string_view key, std::size_t most) {
    std::vector<std::string_view> all;
    const json::array* const from = in.array(key);
    if (from == nullptr) return all;
    if (from->size() > most) {
      in.wrong(key, "too many");
      return all;
    }
    for (const json::value& item : *from) {
      if (const json::string* const text = item.if_string()) all.emplace_back(text->data(), text->size());
      else in.wrong(key, "wanted texts");
    }
    return all;
  }

  std::string fault_;
  JsonMembers in_;
  const SourceRules& rules_;
};

std::span<const SourceReader::TypeRow> SourceReader::types() {
  static constexpr TypeRow kRows[] = {
      {"http", &SourceReader::read_http},         {"s3", &SourceReader::read_s3},
      {"gcs", &SourceReader::read_gcs},           {"azure", &SourceReader::read_azure},
      {"filesystem", &SourceReader::read_folder},
  };
  return kRows;
}

}  // namespace

std::expected<RequestedSources, BodyFault> read_sources(const json::array& all, const SourceRules& rules) {
  if (all.size() > kMaxSources)
    return std::unexpected(BodyFault{413, fmt::format("sources: more than {}", kMaxSources)});
  RequestedSources out;
  out.sources.emplace();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const json::object* const from = all[i].if_object();
    if (from == nullptr) {
      out.refused.push_back({"", fmt::format("sources[{}]: wanted an object", i)});
      continue;
    }
    SourceReader reader(*from, rules);
    SourceConfig source = reader.read();
    if (reader.fault().empty()) out.sources->push_back(std::move(source));
    else
      out.refused.push_back(
          {is_source_id(source.id) ? source.id : "", fmt::format("sources[{}].{}", i, reader.fault())});
  }
  return out;
}

}  // namespace symcached::api
