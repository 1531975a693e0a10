#pragma once
/// One lambda per alternative of a variant, for std::visit.

namespace symcached {

template <class... Functions>
struct overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
overloaded(Functions...) -> overloaded<Functions...>;

}  // namespace symcached
