#pragma once
/// A source as an operator describes it: where it is, how it is laid out, who may see what comes from it.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sources/file_type.hpp"
#include "sources/windows_path.hpp"

namespace symcached::sources {

enum class Layout : std::uint8_t {
  automatic,  ///< symstore in any spelling; index2.txt in the root says whether there are two tiers
  symstore,
  symstore_index2,
  ssqp,
  native,
  unified,
  breakpad,
  debuginfod,
  nuget,
  slashsymbols,
  flat,   ///< <debug_file> or <code_file>, no folders
  loose,  ///< any folders: files are found by the ids they state
};

enum class Casing : std::uint8_t { standard, lower, upper };

/// What a source is asked for. Empty lists: everything.
struct Filters {
  std::vector<FileType> file_types;
  std::vector<std::string> path_patterns;  ///< globs on code_file and debug_file, without case; '*' crosses '/'
  bool requires_checksum = false;          ///< asked only for modules whose checksum is known: those of .NET
};

using Header = std::pair<std::string, std::string>;

struct FolderPlace {
  std::string path;
};
struct HttpPlace {
  std::string url;
  std::vector<Header> headers = {};
  std::string user = {}, password = {};  ///< Basic
  std::string bearer_token = {};
  bool negotiate = false;           ///< Kerberos, with the credentials of the process
  bool negotiate_if_asked = false;  ///< the same once the server asks for it; not where other credentials are given
};
struct S3Place {
  enum class Credentials : std::uint8_t { fixed, container, instance };
  std::string bucket;
  std::string prefix = {};
  std::string region = "us-east-1";
  std::string endpoint = {};  ///< empty: Amazon's for the region
  bool path_style = false;    ///< https://endpoint/bucket/key; otherwise https://bucket.endpoint/key
  Credentials credentials = Credentials::fixed;
  std::string access_key = {}, secret_key = {}, session_token = {};  ///< fixed; without a key requests are not signed
};
struct GcsPlace {
  std::string bucket;
  std::string prefix = {};
  std::string client_email = {}, private_key = {};  ///< of a service account, PEM
  std::string bearer_token = {};                    ///< in place of the account
  std::string endpoint = {};                        ///< empty: https://storage.googleapis.com
  std::string token_uri = {};                       ///< empty: https://oauth2.googleapis.com/token
};
struct AzurePlace {
  std::string account;
  std::string container;
  std::string prefix = {};
  std::string sas = {};         ///< query string of a shared access signature
  std::string shared_key = {};  ///< base64
  std::string endpoint = {};    ///< empty: https://<account>.blob.core.windows.net
};
using Location = std::variant<FolderPlace, HttpPlace, S3Place, GcsPlace, AzurePlace>;

/// How its server is talked to. Nothing: as the whole program does it.
struct NetworkRules {
  std::optional<std::string> user_agent = {};
  std::optional<std::string> proxy = {};  ///< empty: none
  bool accept_invalid_certs = false;
  std::string ca_file = {}, client_certificate = {}, client_key = {};  ///< PEM files
  std::optional<std::chrono::milliseconds> connect_timeout = {}, head_timeout = {}, download_timeout = {};
  std::optional<std::uint64_t> max_download_size = {};  ///< bytes
  unsigned max_transfers = 0;                           ///< at once; 0: as for any host
  double requests_per_second = 0;                       ///< 0: no limit
};

/// The order of spellings that are tried where a server is case-sensitive or its layout is not known for sure.
enum class Probing : std::uint8_t {
  all,    ///< every spelling known, the one that worked last first
  first,  ///< only the one the layout's rules give
};

struct SourceConfig {
  std::string id;  ///< unique in a configuration; names the source in logs and candidates
  Location location;
  bool is_public = false;  ///< what it has may be seen from every scope
  Layout layout = Layout::automatic;
  Casing casing = Casing::standard;
  bool has_index = false;  ///< symstore: 000Admin is read as a shortcut; it never hides a file
  Probing probing = Probing::all;
  Filters filters = {};
  NetworkRules network = {};
  PathMap path_map = {};  ///< what shares and drives in file.ptr lead to; without a row they are not followed
};

}  // namespace symcached::sources
