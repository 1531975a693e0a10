#include "service/request_texts.hpp"

#include <algorithm>

#include "base/hex.hpp"
#include "fetch/text_fetcher.hpp"
#include "stacks/clean_path.hpp"

namespace symcached::service {
namespace {

/// Bundles have the paths that debug information has, or those paths made short.
std::optional<sourcecache::File> find_in(const SourceTable& table, std::string_view path) {
  if (auto file = table.find(path)) return file;
  std::string buffer;
  const std::string_view clean = stacks::clean_path(path, buffer);
  return clean == path ? std::nullopt : table.find(clean);
}

}  // namespace

stacks::SourceText RequestTexts::find(std::uint32_t module, std::string_view path) {
  if (tables_[module].empty()) return {};
  Files& files = files_[module];
  auto known = files.find(path);
  if (known == files.end()) known = files.emplace(std::string(path), look_for(module, path)).first;
  return {known->second.lines.get(), known->second.link};
}

std::vector<RequestTexts::Linked> RequestTexts::linked() {
  std::vector<Linked> all;
  for (std::uint32_t module = 0; module < files_.size(); ++module)
    for (auto& [path, file] : files_[module])
      if (!file.lines && !file.link.empty()) all.push_back({module, &file});
  std::ranges::sort(all, {}, [](const Linked& one) { return std::pair(one.module, std::string_view(one.file->link)); });
  return all;
}

bool RequestTexts::may_link() const {
  return std::ranges::any_of(tables_, [](const auto& tables) {
    return std::ranges::any_of(tables, [](const SharedTable& table) { return table->has_links(); });
  });
}

RequestTexts::File RequestTexts::look_for(std::uint32_t module, std::string_view path) {
  File found;
  for (const SharedTable& table : tables_[module]) {
    const auto file = find_in(*table, path);
    if (file && file->has_text()) found.lines = lines_of(*table, *file);
    if (found.lines) return found;
  }
  for (const SharedTable& table : tables_[module]) {
    const auto url = table->url_of(find_in(*table, path), path);
    auto checked = url ? fetch::check_text_url(*url) : std::unexpected(std::string());
    if (!checked) continue;
    found.link = std::move(*checked);
    break;
  }
  return found;
}

SharedLines RequestTexts::lines_of(const SourceTable& table, const sourcecache::File& file) {
  std::string name = to_hex(table.entry().head().payload_sha256).append(" ").append(file.path);
  if (auto known = memory_.find(name)) return *known;
  const auto text = table.text(file);
  if (!text) return nullptr;
  auto lines = std::make_shared<const symbolize::SourceLines>(text->bytes());
  memory_.put(std::move(name), lines, lines->memory());
  return lines;
}

}  // namespace symcached::service
