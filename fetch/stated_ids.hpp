#pragma once
/// What a file says that it is: the requests it answers.
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "sources/module_ids.hpp"

namespace symcached::fetch {

inline constexpr std::size_t kMaxStated = 64;  ///< types and ids of one file; a universal file has several of each

/// Type and ids of a file, by what its bytes state: several where it has code and debug data, or code for several
/// processors. No names: a file is not told what it is called. Empty for a file that states no ids, or no kind that
/// has any (archives, property lists).
/// Cost: headers and tables, not the whole file; of an ELF file without a build id a page of code.
/// @return the types and ids, or what is wrong with the file
std::expected<std::vector<sources::FileRequest>, std::string> stated_ids(Bytes file);

/// Whether a file that states this is one that is asked for. A type that was not asked for does not matter.
bool answers(const sources::FileRequest& stated, const sources::FileRequest& wanted);

/// "elf_debug dfb85de42daffd09640c8fe377d572de3e168920 E45DB8DFAF2D09FD640C8FE377D572DE0", one a line, with "-" for
/// what is not stated: from one process to another.
std::string to_text(const std::vector<sources::FileRequest>& stated);
/// @return nothing for a text that to_text() did not make
std::optional<std::vector<sources::FileRequest>> parse_stated(std::string_view text);

}  // namespace symcached::fetch
