#pragma once
/// What libmspack unpacks: cabinets, and the single files of Microsoft's older compress.exe (SZDD, KWAJ).
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "base/byte_sink.hpp"

namespace symcached::mspack {

using Failure = UnpackFailure;

struct CabinetMember {
  std::string name;          ///< as recorded, unchecked
  std::uint64_t size = 0;    ///< as stated; no more is unpacked
  std::uint64_t offset = 0;  ///< of its first byte in the unpacked bytes of its folder: what lies before it costs time
};

/// An opened cabinet: a view of bytes that must outlive it.
/// Memory: a few hundred KiB, whatever the size.
class Cabinet {
 public:
  static std::expected<Cabinet, std::string> open(Bytes file);
  Cabinet(Cabinet&&) noexcept;
  Cabinet& operator=(Cabinet&&) noexcept;
  ~Cabinet();

  bool is_part_of_set() const;  ///< its members may go on in another cabinet
  const std::vector<CabinetMember>& members() const;
  /// Cheapest in the order of members().
  std::expected<void, Failure> extract(std::size_t member, const ByteSink& sink);

 private:
  struct Opened;
  explicit Cabinet(std::unique_ptr<Opened> opened);
  std::unique_ptr<Opened> opened_;
};

enum class SingleFile : std::uint8_t { szdd, kwaj };
/// @param limit  of unpacked bytes; one more is refused
std::expected<void, Failure> expand(SingleFile format, Bytes file, std::uint64_t limit, const ByteSink& sink);

}  // namespace symcached::mspack
