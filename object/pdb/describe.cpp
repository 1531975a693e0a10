#include "object/pdb/describe.hpp"

#include <algorithm>

#include "formats/pdb/c13.hpp"
#include "formats/pdb/pdb.hpp"
#include "formats/pdb/source_server.hpp"
#include "object/common/machine_arch.hpp"

namespace symcached::object {
namespace {

/// True as soon as one module lists inlined calls.
Read<bool> has_inlinees(const pdb::File& file) {
  std::vector<std::byte> scratch;
  pdb::C13 parts;
  for (const pdb::ModuleInfo& module : file.modules()) {
    if (module.stream == pdb::kNoStream || module.c13_bytes == 0) continue;
    SC_TRY(const pdb::ModuleData data, file.module_data(module, scratch));
    if (const auto read = parts.read(data.c13); !read) return std::unexpected(read.error());
    if (!parts.inlinees.empty()) return true;
  }
  return false;
}

}  // namespace

void describe_pdb(FileInfo& info, Bytes bytes) {
  constexpr std::uint32_t kEmptyModule = 4;  // bytes of symbols: the signature alone
  const auto file = pdb::File::open(bytes);
  if (!file) return info.keep_first(file.error());
  info.arch = arch_of_machine(file->machine());
  info.debug_id = file->debug_id();
  const auto any = [&](auto test) { return std::ranges::any_of(file->modules(), test); };
  if (any([](const pdb::ModuleInfo& module) { return module.symbol_bytes > kEmptyModule; }))
    info.add_feature("symbols");
  if (file->symbol_records() != pdb::kNoStream) info.add_feature("publics");
  if (any([](const pdb::ModuleInfo& module) { return module.c13_bytes != 0; })) info.add_feature("lines");
  const auto inlinees = has_inlinees(*file);
  if (!inlinees) info.keep_first(inlinees.error());
  else if (*inlinees) info.add_feature("inlines");
  if (file->is_stripped()) info.add_feature("stripped");
  if (file->is_fastlink()) info.add_feature("fastlink");
  if (!file->omap_from_source().empty()) info.add_feature("omap");
  const auto has_stream = [&](auto test) {
    return std::ranges::any_of(file->named_streams(), test, &pdb::NamedStream::name);
  };
  if (has_stream([](std::string_view name) { return name == pdb::kSourceServerStream; }))
    info.add_feature("source-server");
  if (has_stream(pdb::is_source_link)) info.add_feature("source-link");
}

}  // namespace symcached::object
