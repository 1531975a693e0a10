#include "service/ranking.hpp"

#include <algorithm>

#include "service/converter.hpp"

namespace symcached::service {

using store::Quality;

bool Ranking::says_more(Quality best) const { return !have_ || best > quality_of(*have_); }

std::optional<Ranking::Turn> Ranking::next() {
  const std::size_t pairs = candidates_.size() * sources_;
  while (at_ < pairs) {
    const std::size_t pair = at_++;
    const Candidate& candidate = candidates_[pair / sources_];
    if (!says_more(quality_of(candidate.best))) continue;
    Turn turn{candidate.wanted, pair % sources_};
    const Quality later = at_ < pairs ? quality_of(candidates_[at_ / sources_].best) : Quality::none;
    const Quality more = have_ ? static_cast<Quality>(static_cast<int>(*have_) + 1) : Quality::none;
    turn.wanted.at_least = std::max(later, more);
    return turn;
  }
  return next_put_off();
}

void Ranking::put_off(Turn turn, Quality best) {
  if (!says_more(best)) return;
  turn.wanted.at_least = Quality::none;  // it is known
  put_off_.push_back({std::move(turn), best});
}

std::optional<Ranking::Turn> Ranking::next_put_off() {
  const auto best = std::ranges::max_element(put_off_, {}, &PutOff::best);  // of equals the first
  if (best == put_off_.end() || !says_more(best->best)) return std::nullopt;
  Turn turn = std::move(best->turn);
  put_off_.erase(best);
  return turn;
}

}  // namespace symcached::service
