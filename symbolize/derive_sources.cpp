#include "symbolize/derive_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <cstdint>
#include <tuple>
#include <utility>

#include "base/json.hpp"
#include "formats/pdb/pdb.hpp"
#include "formats/pdb/source_server.hpp"
#include "object/identify.hpp"
#include "object/managed/files.hpp"
#include "object/managed/source_link.hpp"
#include "object/packed/source_bundle.hpp"
#include "sourcecache/reader.hpp"
#include "sourcecache/writer.hpp"

namespace symcached::symbolize {
namespace {

using sourcecache::TextCodec;
using sourcecache::Writer;

/// Bytes of texts, or of links, that may come of a file: several names may share one text, and variables make URLs
/// longer than what states them, but not to any extent.
constexpr std::uint64_t kTextsPerByte = 2, kTextsFloor = 1u << 20;
constexpr std::size_t kMaxLinkStreams = 16;  ///< of Source Link, in one PDB

class TextBudget {
 public:
  explicit TextBudget(std::uint64_t file_size) : left_(file_size * kTextsPerByte + kTextsFloor) {}
  bool take(std::uint64_t size) {
    if (size > left_) return false;
    left_ -= size;
    return true;
  }

 private:
  std::uint64_t left_;
};

// --- Source bundles -------------------------------------------------------------------------------------------------

void put_member(const ZipArchive& archive, const object::BundledFile& file, TextBudget& budget, Writer& writer) {
  using Method = PackedMember::Method;
  sourcecache::NewFile out{.path = file.path, .url = file.url};
  const auto at = archive.find(file.member.c_str());
  auto packed = at ? archive.read_packed(*at, sourcecache::kMaxText) : std::unexpected(std::string());
  Buffer plain;
  if (packed && packed->method != Method::other) {
    out.codec = packed->method == Method::deflate ? TextCodec::deflate : TextCodec::stored;
    out.packed = packed->data.bytes();
    out.size = packed->size;
  } else if (packed) {
    if (auto unpacked = archive.read(*at, sourcecache::kMaxText)) {
      plain = std::move(*unpacked);
      out.codec = TextCodec::stored;
      out.packed = plain.bytes();
      out.size = plain.size();
    }
  }
  if (budget.take(out.packed.size())) writer.file(out);
}

void put_links(const boost::json::object& manifest, Writer& writer) {
  const boost::json::value* const listed = manifest.if_contains("source_links");
  const boost::json::object* const links = listed == nullptr ? nullptr : listed->if_object();
  if (links == nullptr) return;
  for (const auto& [path, url] : *links)
    if (const auto* text = url.if_string()) writer.link({path.data(), path.size()}, {text->data(), text->size()});
}

std::expected<DebugId, std::string> put_bundle(Bytes file, Writer& writer) {
  const auto bundle = object::SourceBundle::open(file);
  if (!bundle) return std::unexpected(bundle.error());
  TextBudget budget(file.size());
  for (const object::BundledFile& one : bundle->files())
    if (one.type == "source" && !one.path.empty()) put_member(bundle->archive(), one, budget, writer);
  put_links(bundle->manifest(), writer);
  return DebugId::parse(json_text(bundle->manifest(), "debug_id")).value_or(DebugId());
}

// --- .NET -----------------------------------------------------------------------------------------------------------

Read<void> put_documents(const ppdb::Pdb& pdb, std::uint64_t file_size, Writer& writer) {
  SC_TRY(const auto documents, pdb.documents());
  TextBudget budget(file_size);
  for (std::uint32_t row = 1; row <= documents.size(); ++row) {
    const auto source = pdb.embedded_source(row);
    if (!source || !*source || !budget.take((*source)->data.size())) continue;
    const ppdb::EmbeddedSource& text = **source;
    writer.file({.path = documents[row - 1].name,
                 .url = {},
                 .codec = text.deflated ? TextCodec::deflate : TextCodec::stored,
                 .packed = text.data,
                 .size = text.unpacked_size});
  }
  return {};
}

/// Rules that cannot be read are none: lines are of use without them.
void put_rules(const ppdb::Pdb& pdb, Writer& writer) {
  const auto json = pdb.source_link();
  if (!json || !*json) return;
  const auto link = object::SourceLink::parse(**json);
  if (!link) return;
  for (const object::SourceLink::Rule& rule : link->rules()) writer.link(rule.path, rule.url);
}

std::expected<DebugId, std::string> put_managed(const object::Original& original, Writer& writer) {
  const auto files = object::ManagedFiles::open(original.file, original.companions);
  if (!files) return std::unexpected(to_string(files.error()));
  if (files->pdb() == nullptr) return files->debug_id();
  if (const auto put = put_documents(*files->pdb(), original.file.size(), writer); !put)
    return std::unexpected(to_string(put.error()));
  put_rules(*files->pdb(), writer);
  return files->debug_id();
}

// --- PDBs of native code --------------------------------------------------------------------------------------------

/// By their numbers.
std::vector<pdb::NamedStream> link_streams(const pdb::File& file) {
  std::vector<pdb::NamedStream> streams;
  for (const pdb::NamedStream& named : file.named_streams())
    if (pdb::is_source_link(named.name)) streams.push_back(named);
  std::ranges::sort(streams, {}, [](const pdb::NamedStream& s) { return std::tuple(s.name.size(), s.name, s.stream); });
  streams.resize(std::min(streams.size(), kMaxLinkStreams));
  return streams;
}

/// The rules of all streams. One that cannot be read has none.
object::SourceLink source_link_of(const pdb::File& file) {
  std::vector<object::SourceLink::Rule> rules;
  std::vector<std::byte> scratch;
  for (const pdb::NamedStream& named : link_streams(file)) {
    const auto json = file.msf().stream(named.stream, scratch, "pdb.sourcelink", object::kMaxSourceLink + 1);
    const auto link = json ? object::SourceLink::parse(as_text(*json)) : std::unexpected(json.error());
    if (link) rules.insert(rules.end(), link->rules().begin(), link->rules().end());
  }
  return object::SourceLink::of(std::move(rules));
}

/// Files of which Source Link says nothing. A stream that cannot be read has none.
void put_source_server(const pdb::File& file, const object::SourceLink& known, TextBudget& budget, Writer& writer) {
  const auto named = std::ranges::find(file.named_streams(), pdb::kSourceServerStream, &pdb::NamedStream::name);
  if (named == file.named_streams().end()) return;
  std::vector<std::byte> scratch;
  const auto text = file.msf().stream(named->stream, scratch, "pdb.srcsrv", pdb::kMaxSourceServer + 1);
  auto server = text ? pdb::SourceServer::parse(as_text(*text)) : std::unexpected(text.error());
  if (!server) return;
  for (const pdb::SourceServer::File& source : server->files()) {
    if (known.url_of(source.path)) continue;
    const auto url = server->url_of(source);
    if (url && budget.take(source.path.size() + url->size())) writer.link(source.path, *url);
  }
}

std::expected<DebugId, std::string> put_native(Bytes bytes, Writer& writer) {
  const auto file = pdb::File::open(bytes);
  if (!file) return std::unexpected(to_string(file.error()));
  TextBudget budget(bytes.size());
  const object::SourceLink link = source_link_of(*file);
  for (const object::SourceLink::Rule& rule : link.rules())
    if (budget.take(rule.path.size() + rule.url.size())) writer.link(rule.path, rule.url);
  put_source_server(*file, link, budget, writer);
  return file->debug_id();
}

std::expected<DebugId, std::string> put_all(const object::Original& original, Writer& writer) {
  const object::FileKind kind = object::identify(original.file);
  if (kind == object::FileKind::source_bundle) return put_bundle(original.file, writer);
  if (kind == object::FileKind::pdb) return put_native(original.file, writer);
  if (object::is_managed(original.file)) return put_managed(original, writer);
  return std::unexpected(fmt::format("expected a file with sources, found {}", object::name_of(kind)));
}

}  // namespace

std::expected<DerivedSources, std::string> derive_sources(const object::Original& original) {
  Writer writer;
  const auto id = put_all(original, writer);
  if (!id) return std::unexpected(id.error());
  writer.debug_id(*id);
  DerivedSources derived{std::move(writer).finish(), *id};
  if (const auto opened = sourcecache::Reader::open(derived.file); !opened)
    return std::unexpected("the new sourcecache cannot be read: " + to_string(opened.error()));
  return derived;
}

}  // namespace symcached::symbolize
