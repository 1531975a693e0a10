#pragma once
/// From a file of any kind to the model.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/module.hpp"
#include "object/common/file_info.hpp"
#include "object/common/original.hpp"

namespace symcached::object {

/// Files that would make the translation richer and are not among the companions. Ask again with what was found: one
/// file may name the next. Never fails: of a malformed file it says what could be read.
std::vector<NeedFile> needed_files(Bytes file, std::span<const Companion> companions = {});

bool can_translate(FileKind kind);

/// Where the image starts by the file's own word: addresses it states, less this and modulo 2^64, are from the image
/// base. (A WebAssembly module states addresses in its code section, which lie behind the base: it starts below 0.)
/// @return nothing if the file does not say
std::optional<std::uint64_t> stated_image_base(Bytes file);

/// Hands all functions of a file to `sink`. Companions that are missing make the result poorer, not wrong.
/// @return the first thing in the file that cannot be right; the sink is then half filled and of no use
Read<void> translate(const Original& original, model::ModuleSink& sink);

}  // namespace symcached::object
