#pragma once
/// Archives of object files: what is in them, and which member is meant. docs/formats/archives.md
#include <expected>
#include <string>
#include <string_view>

#include "formats/ar/reader.hpp"
#include "object/common/file_info.hpp"

namespace symcached::object {

/// Members with what their first bytes say of them. Cost: as describe() for each member.
void describe_archive(FileInfo& info, Bytes file);

/// @param name  of a member: "x.o"; of the second one with that name: "x.o:2"; empty: the only member
/// @return the member, which lives as long as the archive, or a sentence that names some that are there
std::expected<const ar::Member*, std::string> find_member(const ar::Archive& archive, std::string_view name);

}  // namespace symcached::object
