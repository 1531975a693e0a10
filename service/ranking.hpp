#pragma once
/// In which order sources are asked for the files that a cache can be made from.
#include <cstddef>
#include <optional>
#include <vector>

#include "service/cache_query.hpp"
#include "store/entry.hpp"

namespace symcached::service {

/// The best kind of file first, each at every source in turn. As soon as there is a cache, only what may say more is
/// asked for. What a source has and knows to say less than something still to be asked for (fetch::SaysLess) is put
/// off: it is downloaded when nothing else was better, the best of them first. That is known of large ELF files alone,
/// by a look; small files are not worth the requests, and what comes last of all is not looked at either.
class Ranking {
 public:
  struct Turn {
    fetch::Wanted wanted;  ///< with what it has to say at least
    std::size_t source;    ///< index
  };

  /// @param candidates  the best first
  /// @param sources     how many there are
  /// @param have        what the cache there is knows; nothing: there is none
  Ranking(std::vector<Candidate> candidates, std::size_t sources, std::optional<symbolize::Contents> have)
      : candidates_(std::move(candidates)), sources_(sources), have_(have) {}

  /// What to ask for next; nothing if there is nothing better to hope for.
  std::optional<Turn> next();
  /// The source has that, and a cache of it can know `best`.
  void put_off(Turn turn, store::Quality best);
  void made(symbolize::Contents contents) { have_ = contents; }
  std::optional<symbolize::Contents> have() const { return have_; }

 private:
  struct PutOff {
    Turn turn;
    store::Quality best;
  };

  bool says_more(store::Quality best) const;
  std::optional<Turn> next_put_off();

  const std::vector<Candidate> candidates_;
  const std::size_t sources_;
  std::optional<symbolize::Contents> have_;
  std::size_t at_ = 0;  ///< the next pair of candidate and source
  std::vector<PutOff> put_off_;
};

}  // namespace symcached::service
