#pragma once
/// Places in .NET methods, looked up in a ppdbcache.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/answerer.hpp"
#include "ppdbcache/reader.hpp"
#include "symbolize/managed_sources.hpp"

namespace symcached::app {

/// A method and an offset in its IL.
struct MethodPlace {
  std::uint32_t row = 0;        ///< of MethodDef, 1-based
  std::uint32_t il_offset = 0;  ///< bytes
  bool operator==(const MethodPlace&) const = default;
};

/// `4:26`, `4:0x1a`, `0x06000004:0x1a`: decimal, or hexadecimal behind 0x. The method is a row or a MethodDef token.
std::optional<MethodPlace> parse_method_place(std::string_view text);

class MethodAnswerer final : public Answerer {
 public:
  struct Options {
    bool json = false, names = true, basenames = false;
    std::uint32_t source_lines = 0;  ///< to print around each line
  };
  /// @param cache, module  must outlive it
  /// @param sources        null: none
  MethodAnswerer(const ppdbcache::Reader& cache, std::string_view module, const Options& options,
                 std::unique_ptr<symbolize::ManagedSources> sources)
      : cache_(cache), module_(module), options_(options), sources_(std::move(sources)) {}

  bool answer(std::string_view line, std::string& out) override;

 private:
  void append(const MethodPlace* asked, std::string& out) const;

  const ppdbcache::Reader& cache_;
  std::string_view module_;
  Options options_;
  std::unique_ptr<symbolize::ManagedSources> sources_;
};

}  // namespace symcached::app
