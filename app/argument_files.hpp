#pragma once
/// Options in files and environment variables, as GNU's and LLVM's programs read them.
#include <string>
#include <string_view>
#include <vector>

namespace symcached::app {

/// Words of a text: blanks separate them, quotes of both kinds and backslashes keep what has blanks together.
std::vector<std::string> words_of(std::string_view text);

/// Puts the words of FILE in the place of each `@FILE`, those of files named there too. What cannot be read stays.
std::vector<std::string> with_argument_files(std::vector<std::string> arguments);

}  // namespace symcached::app
