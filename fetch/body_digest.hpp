#pragma once
/// The digest of a body that its headers state, compared with what arrives.
/// Specs: RFC 9530 (Repr-Digest), RFC 3230 (Digest), RFC 1864 (Content-MD5), Amazon S3 "Checking object integrity",
/// Cloud Storage "x-goog-hash". An ETag is no digest.
#include <memory>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "fetch/http_result.hpp"

namespace symcached::fetch {

class BodyDigest {
 public:
  /// The strongest digest that is stated of the whole file as it is sent; nothing if none is that we know: of an
  /// encoded body none is, and of a part (206) some speak of the part.
  static std::optional<BodyDigest> stated_by(const HttpHead& head);

  void update(Bytes piece);
  bool matches() const;  ///< what was updated so far

 private:
  struct Free {
    void operator()(void* context) const;
  };
  BodyDigest(const char* algorithm, std::vector<std::byte> wanted);

  std::unique_ptr<void, Free> context_;
  std::vector<std::byte> wanted_;
};

}  // namespace symcached::fetch
