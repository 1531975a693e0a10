#pragma once
/// Writing answers as other symbolizers do: a renderer is a function from an answer to text.
#include <cstdint>
#include <string>
#include <string_view>

#include "symbolize/module.hpp"

namespace symcached::symbolize {

/// What is known of a frame's source beside its name.
struct SourceText {
  std::string lines;  ///< those around the frame's, ready to print; empty = none
  std::string url;    ///< of the file; empty = not known
};

/// An answer with the question that it answers.
struct Answered {
  std::string_view module;             ///< as it was named
  Place place;                         ///< an address from the image base
  std::uint64_t image_base = 0;        ///< what addresses are shown from
  const Answer* answer = nullptr;      ///< never null
  const SourceText* source = nullptr;  ///< of the innermost frame; null = none
};

struct TextStyle {
  bool functions = true;   ///< a line for each function; JSON has its key in any case
  bool basenames = false;  ///< files without their folders
};

using Renderer = void (*)(const Answered& answered, const TextStyle& style, std::string& out);

}  // namespace symcached::symbolize
