#pragma once
/// A large debug file that is converted as it is asked: a few addresses cost a few of its units, more of them the
/// whole.
#include <cstdint>
#include <memory>
#include <string>

#include "symbolize/companions.hpp"
#include "symbolize/derive.hpp"
#include "symbolize/module.hpp"
#include "symbolize/original_file.hpp"

namespace symcached::symbolize {

struct GrowingOptions {
  std::uint64_t min_file_size = 16u << 20;  ///< bytes; smaller files are converted whole, in some 10 ms
  std::size_t questions = 0;                ///< how many addresses will be asked for; 0: not known
  std::size_t most_pieces = 16;             ///< questions that are answered from pieces, then the whole is converted
};

class ConvertedOnDemand : public GrowingSymcache {
 public:
  /// Takes the file and its companions if they can be converted in pieces, which is worth it; otherwise leaves them
  /// and gives null.
  /// @param threads  to convert with
  static std::shared_ptr<ConvertedOnDemand> open(OriginalFile& file, Companions& companions, unsigned threads,
                                                 const GrowingOptions& options);

  /// Something was answered, from a piece.
  virtual bool has_pieces() const = 0;
  /// Null unless everything was converted.
  virtual const DerivedSymcache* converted() const = 0;
  /// Why converting everything failed, after pieces had been answered from; empty if it did not. Addresses asked for
  /// since then are unknown.
  virtual std::string trouble() const = 0;
};

}  // namespace symcached::symbolize
