#include "object/translate.hpp"

#include "object/from_breakpad.hpp"
#include "object/from_pdb.hpp"
#include "object/from_perf_map.hpp"
#include "object/identify.hpp"

namespace symcached::object {

std::vector<NeedFile> needed_files(Bytes file, std::span<const Companion> companions) {
  (void)companions;
  switch (identify(file)) {
    default: return {};
  }
}

Read<void> translate(const Original& original, model::ModuleSink& sink) {
  switch (const FileKind kind = identify(original.file)) {
    case FileKind::pdb: return translate_pdb(original.file, sink, original.release);
    case FileKind::breakpad: return translate_breakpad(original, sink);
    case FileKind::perf_map: return translate_perf_map(original, sink);
    default: return bad_value("file.kind", 0, static_cast<std::uint64_t>(kind));
  }
}

}  // namespace symcached::object
