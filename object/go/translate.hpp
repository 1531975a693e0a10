#pragma once
/// From a Go program's own table of functions to the model: for programs without DWARF.
/// Spec: docs/formats/gopclntab.md.
#include <vector>

#include "model/module.hpp"
#include "object/common/code_symbols.hpp"
#include "object/go/program.hpp"

namespace symcached::object {

/// Hands every function of the table to `sink`.
/// @param image_base  stated address of Rva 0
/// @return what has functions now, sorted by start; or that the table is more work than any linker's
/// Cost: the size of the tables that are read; for hostile ones at most eight times that of the program.
Read<std::vector<CodeRange>> translate_go(const GoProgram& program, std::uint64_t image_base, model::ModuleSink& sink);

}  // namespace symcached::object
