#pragma once
/// Breakpad symbol files to the model. What is taken and how: docs/formats/breakpad.md.
#include "model/module.hpp"
#include "object/common/original.hpp"

namespace symcached::object {

/// Hands every FUNC with its lines and inlined calls to `sink`, then each PUBLIC that no FUNC covers.
/// @return the first record that cannot be read; one that reads but makes no sense (a line before the first function,
///         an inlined call where no caller is) is left out
/// Cost: two passes over the text, the first one only for the names.
Read<void> translate_breakpad(const Original& original, model::ModuleSink& sink);

}  // namespace symcached::object
