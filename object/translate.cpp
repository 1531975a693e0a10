#include "object/translate.hpp"

#include "object/identify.hpp"
#include "object/kinds.hpp"

namespace symcached::object {

std::vector<NeedFile> needed_files(Bytes file, std::span<const Companion> companions) {
  const auto needed = row_of(identify(file)).needed_files;
  return needed == nullptr ? std::vector<NeedFile>() : needed(file, companions);
}

std::optional<std::uint64_t> stated_image_base(Bytes file) {
  const auto image_base = row_of(identify(file)).image_base;
  return image_base == nullptr ? std::nullopt : image_base(file);
}

bool can_translate(FileKind kind) { return row_of(kind).translate != nullptr; }

Read<void> translate(const Original& original, model::ModuleSink& sink) {
  const KindRow& row = row_of(identify(original.file));
  if (row.translate == nullptr) return bad_value("file.kind", 0, static_cast<std::uint64_t>(row.kind));
  return row.translate(original, sink);
}

}  // namespace symcached::object
