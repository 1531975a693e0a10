#pragma once
/// Where unpacked and downloaded bytes go, a piece at a time.
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/bytes.hpp"

namespace symcached {

/// Takes bytes in order. An error ends what gives them and is passed on.
using ByteSink = std::function<std::expected<void, std::string>(Bytes)>;

/// Appends to `text`, which is emptied first.
/// @param most  bytes; a piece that goes beyond is refused
inline ByteSink appending_to(std::shared_ptr<std::string> text, std::size_t most = SIZE_MAX) {
  text->clear();
  return [text = std::move(text), most](Bytes piece) -> std::expected<void, std::string> {
    if (piece.size() > most - text->size()) return std::unexpected("too large");
    text->append(as_text(piece));
    return {};
  };
}

struct UnpackFailure {
  bool by_sink;  ///< the sink's error; otherwise the packed bytes are bad, or memory ran out
  std::string why;
};

}  // namespace symcached
