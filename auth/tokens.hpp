#pragma once
/// Tokens of clients, for Bearer and Basic.
#include <optional>
#include <string_view>
#include <vector>

#include "auth/options.hpp"
#include "net/http.hpp"
#include "store/sha256.hpp"

namespace symcached::auth {

/// Keeps keyed hashes of the tokens. How long a search takes says nothing about them: it compares with every one.
class Tokens {
 public:
  explicit Tokens(const std::vector<Token>& tokens);

  bool empty() const { return entries_.empty(); }
  std::optional<http::Principal> bearer(std::string_view token) const { return find(token, std::nullopt, "bearer"); }
  /// @param name  of the token; several may have one name, as while one is replaced by another
  std::optional<http::Principal> basic(std::string_view name, std::string_view password) const {
    return find(password, name, "basic");
  }

 private:
  struct Entry {
    store::Sha256 hash;
    http::Principal principal;
  };
  std::optional<http::Principal> find(std::string_view token, std::optional<std::string_view> name,
                                      std::string_view scheme) const;

  std::vector<Entry> entries_;
};

}  // namespace symcached::auth
