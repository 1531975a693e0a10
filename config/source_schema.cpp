#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/ascii.hpp"
#include "base/overloaded.hpp"
#include "config/schema.hpp"
#include "sources/source_words.hpp"

namespace symcached::config {
namespace {

using namespace sources;
using std::chrono::milliseconds;

constexpr TimeBounds kWait{milliseconds(100), std::chrono::hours(24)};

const SourceType kTypes[] = {
    {"http", HttpPlace{}}, {"filesystem", FolderPlace{}}, {"s3", S3Place{}},
    {"gcs", GcsPlace{}},   {"azure", AzurePlace{}},
};
constexpr std::string_view kTypesText = "http, filesystem, s3, gcs or azure";

const Choices<Layout> kLayouts(kLayoutWords.begin(), kLayoutWords.end());
const Choices<Casing> kCasings(kCasingWords.begin(), kCasingWords.end());
const Choices<Probing> kProbings{{"all", Probing::all}, {"first", Probing::first}};
const Choices<S3Place::Credentials> kProviders(kCredentialsWords.begin(), kCredentialsWords.end());

Field file_types(std::vector<FileType>& types) {
  return {"list of file types", false,
          [&types](const Node& node, const std::string& key, Report& report) {
            types.clear();
            if (!node.is_sequence())
              return report.error(node.line, fmt::format("{}: {}", key, wanted("a list of file types", node)));
            for (const Node& item : node.items) {
              if (const auto type = parse_file_type(item.text); item.is_scalar() && type) types.push_back(*type);
              else if (std::ranges::find(kForeignFileTypes, item.text) != std::end(kForeignFileTypes))
                report.warning(item.line, fmt::format("{}: {}: ignored; such files are not read", key, item.text));
              else report.error(item.line, fmt::format("{}: \"{}\" is no file type", key, item.text));
            }
          },
          [&types](Secrets) {
            Node node{Node::Kind::sequence};
            for (const FileType type : types) node.items.push_back(Node::scalar(std::string(name_of(type))));
            return node;
          }};
}

/// A name, or Symbolicator's pair of name and endpoint.
Field region(S3Place& place) {
  Field field = text(place.region);
  field.type = "text, or [NAME, ENDPOINT]";
  field.read = [&place, read = field.read](const Node& node, const std::string& key, Report& report) {
    if (!node.is_sequence()) return read(node, key, report);
    if (node.items.size() != 2 || !node.items[0].is_scalar() || !node.items[1].is_scalar())
      return report.error(node.line, key + ": write a name, or [NAME, ENDPOINT]");
    place.region = node.items[0].text;
    place.endpoint = node.items[1].text;
    place.path_style = true;  // few but Amazon have a host for each bucket
  };
  return field;
}

Field type_name(SourceConfig& source) {
  return {"one of " + std::string(kTypesText), false,
          [](const Node&, const std::string&, Report&) {},  // it was read to know which rows there are
          [&source](Secrets) {
            const auto is_same = [&](const SourceType& row) { return row.location.index() == source.location.index(); };
            return Node::scalar(std::string(std::ranges::find_if(kTypes, is_same)->name));
          }};
}

void add_place(Rows& rows, FolderPlace& place) { rows.push_back({"path", text(place.path), "directory"}); }

void add_place(Rows& rows, HttpPlace& place) {
  rows.push_back({"url", url(place.url), "URL of the server"});
  rows.push_back({"headers", headers(place.headers), "sent with every request"});
  rows.push_back({"user", text(place.user), "for Basic authentication"});
  rows.push_back({"password", secret(place.password), "for Basic authentication"});
  rows.push_back({"bearer_token", secret(place.bearer_token), "sent as Authorization: Bearer"});
  rows.push_back({"negotiate", flag(place.negotiate), "log in by Kerberos, with the credentials of the process"});
}

void add_bucket(Rows& rows, std::string& bucket, std::string& prefix) {
  rows.push_back({"bucket", text(bucket), "name of the bucket"});
  rows.push_back({"prefix", text(prefix), "of all names in it"});
}

void add_place(Rows& rows, S3Place& place) {
  add_bucket(rows, place.bucket, place.prefix);
  rows.push_back({"region", region(place), "of the bucket"});
  rows.push_back({"endpoint", text(place.endpoint), "URL; empty: Amazon's for the region"});
  rows.push_back({"path_style", flag(place.path_style),
                  "the bucket stands in the path, not in the host name; true if region is a pair"});
  rows.push_back({"aws_credentials_provider", choice(place.credentials, kProviders), "where the keys come from"});
  rows.push_back({"access_key", text(place.access_key), "static; empty: requests are not signed"});
  rows.push_back({"secret_key", secret(place.secret_key), "static"});
  rows.push_back({"session_token", secret(place.session_token), "static"});
}

}  // namespace

void add_bucket(Rows& rows, const std::string& group, S3Place& bucket, Use use) {
  Rows own;
  add_place(own, bucket);
  for (Row& row : own) rows.push_back({group + row.key, std::move(row.field), std::move(row.help), use});
}

namespace {

void add_place(Rows& rows, GcsPlace& place) {
  add_bucket(rows, place.bucket, place.prefix);
  rows.push_back({"client_email", text(place.client_email), "of a service account"});
  rows.push_back({"private_key", secret(place.private_key), "of a service account, PEM"});
  rows.push_back({"bearer_token", secret(place.bearer_token), "in place of the account"});
  rows.push_back({"endpoint", text(place.endpoint), "URL; empty: https://storage.googleapis.com"});
  rows.push_back({"token_uri", text(place.token_uri), "URL; empty: https://oauth2.googleapis.com/token"});
}

void add_place(Rows& rows, AzurePlace& place) {
  rows.push_back({"account", text(place.account), "name of the storage account"});
  rows.push_back({"container", text(place.container), "name of the container"});
  rows.push_back({"prefix", text(place.prefix), "of all names in it"});
  rows.push_back({"sas", secret(place.sas), "query string of a shared access signature"});
  rows.push_back({"shared_key", secret(place.shared_key), "base64"});
  rows.push_back({"endpoint", text(place.endpoint), "URL; empty: https://ACCOUNT.blob.core.windows.net"});
}

void add_network(Rows& rows, NetworkRules& n) {
  constexpr std::string_view kAsAll = "as all";
  rows.push_back({"user_agent", text_or_null(n.user_agent, "the program's own"), "how the program calls itself"});
  rows.push_back({"proxy", text_or_null(n.proxy, "as the environment says"), "URL; empty: none"});
  rows.push_back({"accept_invalid_certs", flag(n.accept_invalid_certs), "trust any certificate of the server"});
  rows.push_back({"ca_file", text(n.ca_file), "PEM file with the certificates to trust; empty: the system's"});
  rows.push_back({"client_certificate", text(n.client_certificate), "PEM file"});
  rows.push_back({"client_key", text(n.client_key), "PEM file"});
  rows.push_back({"connect_timeout", time_or_null(n.connect_timeout, kWait, kAsAll), "for a connection"});
  rows.push_back({"head_timeout", time_or_null(n.head_timeout, kWait, kAsAll), "for the headers of an answer"});
  rows.push_back({"download_timeout", time_or_null(n.download_timeout, kWait, kAsAll), "for a whole download"});
  rows.push_back({"max_download_size", size_or_null(n.max_download_size, kAsAll), "bytes of a download"});
  rows.push_back({"max_transfers", number(n.max_transfers, {0, 10'000}), "downloads at once; 0: as for any host"});
  rows.push_back({"requests_per_second", decimal(n.requests_per_second, 1e6), "0: no limit"});
}

struct Needed {
  std::string_view key;
  const std::string& value;
};
std::vector<Needed> needs_of(const Location& location) {
  return std::visit(overloaded{[](const FolderPlace& p) { return std::vector<Needed>{{"path", p.path}}; },
                               [](const HttpPlace& p) { return std::vector<Needed>{{"url", p.url}}; },
                               [](const S3Place& p) { return std::vector<Needed>{{"bucket", p.bucket}}; },
                               [](const GcsPlace& p) { return std::vector<Needed>{{"bucket", p.bucket}}; },
                               [](const AzurePlace& p) {
                                 return std::vector<Needed>{{"account", p.account}, {"container", p.container}};
                               }},
                    location);
}

/// What only makes sense together.
std::string fault_of(const Location& location) {
  if (const auto* s3 = std::get_if<S3Place>(&location);
      s3 != nullptr && s3->access_key.empty() != s3->secret_key.empty())
    return "give both access_key and secret_key, or neither";
  if (const auto* gcs = std::get_if<GcsPlace>(&location);
      gcs != nullptr && gcs->client_email.empty() != gcs->private_key.empty())
    return "give both client_email and private_key, or neither";
  return {};
}

const Node* find(const Node& map, std::string_view key) {
  const auto found = std::ranges::find(map.items, key, &Node::key);
  return found == map.items.end() ? nullptr : &*found;
}

class SourceReader {
 public:
  SourceReader(const std::string& key, Report& report) : key_(key), report_(report) {}

  std::optional<SourceConfig> read(const Node& node, std::size_t index) {
    const std::string by_index = fmt::format("{}[{}]", key_, index);
    if (!node.is_map()) return refuse(node, by_index, wanted("a map with id and type", node));
    const Node* const id = find(node, "id");
    if (id == nullptr || !id->is_scalar() || !is_source_id(id->text))
      return refuse(id == nullptr ? node : *id, by_index + ".id",
                    fmt::format("write a name of at most {} printable characters without blanks", kMaxSourceId));
    if (!ids_.insert(id->text).second)
      return refuse(*id, by_index + ".id", fmt::format("\"{}\" is another source's id, too", id->text));
    return read_as(node, id->text);
  }

 private:
  std::optional<SourceConfig> read_as(const Node& node, const std::string& id) {
    const std::string prefix = fmt::format("{}.{}.", key_, id);
    const Node* const type = find(node, "type");
    if (type == nullptr || !type->is_scalar())
      return refuse(node, prefix + "type", fmt::format("missing; write {}", kTypesText));
    if (type->text == "sentry") {
      report_.warning(type->line, prefix + "type: sentry: the source is ignored; only Sentry's own service has one");
      return std::nullopt;
    }
    const auto row = std::ranges::find(kTypes, std::string_view(type->text), &SourceType::name);
    if (row == std::end(kTypes))
      return refuse(*type, prefix + "type", fmt::format("\"{}\": write {}", type->text, kTypesText));
    SourceConfig source = default_source(id, *row);
    const std::size_t errors = report_.errors().size();
    read_rows(node, rows_of(source), prefix, {}, report_);
    if (report_.errors().size() == errors) check(source, node, prefix);
    if (asks_for_nothing(source, node)) {
      report_.warning(node.line, prefix + "filters.filetypes: none of them is read here; the source is ignored");
      return std::nullopt;
    }
    return source;
  }

  void check(const SourceConfig& source, const Node& node, const std::string& prefix) {
    for (const Needed& needed : needs_of(source.location))
      if (needed.value.empty()) report_.error(node.line, fmt::format("{}{}: missing", prefix, needed.key));
    if (const std::string why = fault_of(source.location); !why.empty())
      report_.error(node.line, prefix.substr(0, prefix.size() - 1) + ": " + why);
  }

  /// All types of its filter were foreign ones; an empty filter would ask for everything.
  static bool asks_for_nothing(const SourceConfig& source, const Node& node) {
    const Node* const filters = find(node, "filters");
    const Node* const types = filters == nullptr ? nullptr : find(*filters, "filetypes");
    return types != nullptr && !types->items.empty() && source.filters.file_types.empty();
  }

  std::optional<SourceConfig> refuse(const Node& at, const std::string& key, const std::string& why) {
    report_.error(at.line, fmt::format("{}: {}", key, why));
    return std::nullopt;
  }

  const std::string& key_;
  Report& report_;
  std::set<std::string> ids_;
};

}  // namespace

std::span<const SourceType> source_types() { return kTypes; }

SourceConfig default_source(std::string id, const SourceType& type) {
  return {.id = std::move(id), .location = type.location, .layout = Layout::native};
}

Rows rows_of(SourceConfig& source) {
  Rows rows;
  rows.push_back({"id", text(source.id), "unique; names the source in logs and metrics"});
  rows.push_back({"type", type_name(source), "what kind of place it is"});
  std::visit([&](auto& place) { add_place(rows, place); }, source.location);
  rows.push_back({"is_public", flag(source.is_public), "what it has may be seen from every scope"});
  rows.push_back(
      {"layout.type", choice(source.layout, kLayouts), "how paths are made; automatic: symstore, any spelling"});
  rows.push_back({"layout.casing", choice(source.casing, kCasings), "of paths"});
  rows.push_back({"has_index", flag(source.has_index), "symstore: read 000Admin as a shortcut"});
  rows.push_back({"probing", choice(source.probing, kProbings), "which spellings of a path are tried"});
  rows.push_back(
      {"filters.filetypes", file_types(source.filters.file_types), "what it is asked for; empty: everything"});
  rows.push_back({"filters.path_patterns", texts(source.filters.path_patterns),
                  "globs on code_file and debug_file, without case; * crosses /"});
  rows.push_back({"filters.requires_checksum", flag(source.filters.requires_checksum),
                  "ask only for modules whose checksum is known: those of .NET"});
  add_network(rows, source.network);
  return rows;
}

Field source_list(std::vector<SourceConfig>& sources) {
  return {"list of maps", false,
          [&sources](const Node& node, const std::string& key, Report& report) {
            sources.clear();
            if (!node.is_sequence())
              return report.error(node.line, fmt::format("{}: {}", key, wanted("a list of maps", node)));
            SourceReader reader(key, report);
            for (std::size_t i = 0; i < node.items.size() && !report.full(); ++i)
              if (auto source = reader.read(node.items[i], i)) sources.push_back(std::move(*source));
          },
          [&sources](Secrets secrets) {
            Node node{Node::Kind::sequence};
            for (SourceConfig& source : sources) node.items.push_back(write_rows(rows_of(source), secrets));
            return node;
          }};
}

}  // namespace symcached::config
