#include "fetch/answers.hpp"

#include <algorithm>
#include <iterator>

namespace symcached::fetch {
namespace {

struct CodeRow {
  std::string_view code;
  Meaning meaning;
};
constexpr CodeRow kCodes[] = {
    // S3 and Cloud Storage
    {"NoSuchKey", Meaning::not_there},
    {"NoSuchVersion", Meaning::not_there},
    {"NoSuchBucket", Meaning::forbidden},
    {"InvalidBucketName", Meaning::forbidden},
    {"AccessDenied", Meaning::forbidden},
    {"AllAccessDisabled", Meaning::forbidden},
    {"AccountProblem", Meaning::forbidden},
    {"InvalidAccessKeyId", Meaning::forbidden},
    {"InvalidObjectState", Meaning::forbidden},  // archived
    {"SignatureDoesNotMatch", Meaning::forbidden},
    {"AuthorizationHeaderMalformed", Meaning::forbidden},  // another region
    {"PermanentRedirect", Meaning::forbidden},
    {"UserProjectMissing", Meaning::forbidden},
    {"ExpiredToken", Meaning::transient},
    {"RequestTimeTooSkewed", Meaning::transient},
    {"RequestTimeout", Meaning::transient},
    {"SlowDown", Meaning::transient},
    {"InternalError", Meaning::transient},
    {"ServiceUnavailable", Meaning::transient},
    // Azure
    {"BlobNotFound", Meaning::not_there},
    {"ResourceNotFound", Meaning::not_there},
    {"ContainerNotFound", Meaning::forbidden},
    {"ContainerBeingDeleted", Meaning::transient},
    {"AuthenticationFailed", Meaning::forbidden},
    {"AuthorizationFailure", Meaning::forbidden},
    {"AuthorizationPermissionMismatch", Meaning::forbidden},
    {"InsufficientAccountPermissions", Meaning::forbidden},
    {"NoAuthenticationInformation", Meaning::forbidden},
    {"PublicAccessNotPermitted", Meaning::forbidden},
    {"AccountIsDisabled", Meaning::forbidden},
    {"BlobArchived", Meaning::forbidden},
    {"ServerBusy", Meaning::transient},
    {"OperationTimedOut", Meaning::transient},
};

Meaning meaning_of_status(unsigned status) {
  switch (status) {
    case 200:
    case 206: return Meaning::there;
    case 400:  // of a path that can be none of its files
    case 404:
    case 410: return Meaning::not_there;
    case 401:
    case 403:
    case 407:
    case 451: return Meaning::forbidden;
    default: return Meaning::transient;
  }
}

}  // namespace

std::string_view error_code_in(std::string_view body) {
  constexpr std::string_view kOpen = "<Code>", kClose = "</Code>";
  constexpr std::size_t kLongest = 64;
  body = body.substr(0, kErrorBody);
  const std::size_t open = body.find(kOpen);
  if (open == std::string_view::npos) return {};
  const std::string_view rest = body.substr(open + kOpen.size());
  const std::size_t close = rest.substr(0, kLongest + kClose.size()).find(kClose);
  return close == std::string_view::npos ? std::string_view() : rest.substr(0, close);
}

Meaning meaning_of(unsigned status, std::string_view body, std::string_view error_code) {
  const Meaning usual = meaning_of_status(status);
  if (usual == Meaning::there) return usual;
  const std::string_view code = error_code.empty() ? error_code_in(body) : error_code;
  const auto* row = std::ranges::find(kCodes, code, &CodeRow::code);
  return row == std::end(kCodes) ? usual : row->meaning;
}

}  // namespace symcached::fetch
