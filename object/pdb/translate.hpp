#pragma once
/// From a PDB to the model. How records become frames: docs/formats/pdb.md, sections 4 to 8.
#include <functional>

#include "base/bytes.hpp"
#include "model/module.hpp"

namespace symcached::object {

/// Hands every function, thunk and public of the PDB to `sink`, folded functions as further functions with one start.
/// @return the first thing in the file that cannot be right; the sink is then half filled and of no use
/// @param release  called now and then: nothing read so far is needed soon, so pages of a mapping may go
/// Cost: one pass over the modules' streams; memory for the largest module, the publics and the names of inlinees.
Read<void> translate_pdb(Bytes file, model::ModuleSink& sink, const std::function<void()>& release = {});

}  // namespace symcached::object
