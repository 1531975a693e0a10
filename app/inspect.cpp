#include <fmt/format.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "base/mapped_file.hpp"
#include "base/utf8.hpp"
#include "object/identify.hpp"

namespace symcached::app {
namespace {

using object::FileInfo;
using object::FileKind;
using object::Link;
using object::SliceInfo;

struct Options {
  std::vector<std::string> files;
  bool json = false;
};

/// One file of the command line: described, or the sentence why it could not be opened.
struct Inspected {
  std::string file;
  std::uint64_t size = 0;
  FileInfo info;
  std::string error;  ///< empty = all well
  bool opened = false;
};

Inspected inspect(const std::string& file) {
  Inspected result{.file = file, .info = {}, .error = {}};
  const auto mapped = MappedFile::open(file);
  if (!mapped) {
    result.error = mapped.error();
    return result;
  }
  result.opened = true;
  result.size = mapped->bytes().size();
  result.info = object::describe(mapped->bytes());
  if (!result.info.trouble.empty()) result.error = fmt::format("{}: {}", file, result.info.trouble);
  if (result.info.error) result.error = fmt::format("{}: {}", file, to_string(*result.info.error));
  if (result.error.empty() && result.info.kind == FileKind::unknown)
    result.error = fmt::format("{}: {}", file, result.size == 0 ? "empty file" : "unrecognized format");
  return result;
}

std::string debug_id_text(const FileInfo& info) { return info.debug_id ? info.debug_id->dashed() : std::string(); }

/// What a symbol server's path has of a native PDB, whether this is the PDB or its program:
/// docs/protocols/symcache-http.md.
std::optional<DebugId> pdb_id(const FileInfo& info) {
  const bool names_pdb = std::ranges::find(info.links, FileKind::pdb, &Link::kind) != info.links.end();
  return info.kind == FileKind::pdb || (info.kind == FileKind::pe && names_pdb) ? info.debug_id : std::nullopt;
}

void print_text(const Inspected& file) {
  const FileInfo& info = file.info;
  std::string out = escaped(file.file) + "\n";
  const auto row = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) out += fmt::format("  {:<12}{}\n", name, escaped(value));
  };
  row("kind", name_of(info.kind));
  row("packed in",
      fmt::format("{}",
                  fmt::join(info.wrappers | std::views::transform([](auto kind) { return name_of(kind); }), ", ")));
  row("member", info.member);
  if (info.arch != model::Arch::unknown) row("arch", name_of(info.arch));
  row("size", fmt::format("{} bytes", file.size));
  row("debug_id", debug_id_text(info));
  if (const auto id = pdb_id(info)) {
    row("guid", id->guid.hex_upper());
    row("age", fmt::format("{}", id->age));
  }
  row("code_id", info.code_id);
  row("debug_file", info.debug_file);
  row("features", fmt::format("{}", fmt::join(info.features, ", ")));
  for (const Link& link : info.links)
    row("link", fmt::format("{:<14}{}  {}", name_of(link.kind), link.debug_id, link.path));
  for (const std::string& checksum : info.checksums) row("checksum", checksum);
  row("source_link", info.source_link);
  for (const std::string& document : info.documents) row("document", document);
  if (info.file_count) row("files", fmt::format("{}", *info.file_count));
  for (const SliceInfo& slice : info.slices)
    row("slice", fmt::format("{:<14}{}  {} bytes at {}", slice.arch,
                             slice.debug_id ? slice.debug_id->dashed() : std::string(), slice.size, slice.offset));
  for (const object::MemberInfo& member : info.members)
    row("member", fmt::format("{:<24}  {:<8}{}{}  {} bytes", member.name, name_of(member.kind),
                              member.arch == model::Arch::unknown ? "" : fmt::format("  {}", name_of(member.arch)),
                              member.debug_id ? "  " + member.debug_id->dashed() : std::string(), member.size));
  for (const model::CodeSection& section : info.sections)
    row("section", fmt::format("{:<14}  {} bytes at {:#x}", section.name, section.size, section.start.value));
  fmt::print("{}", out);
}

boost::json::object to_json(const Inspected& file) {
  const FileInfo& info = file.info;
  boost::json::object out;
  const auto put = [](boost::json::object& to, const char* key, std::string_view value) {
    if (!value.empty()) to[key] = valid_utf8(value);
  };
  put(out, "file", file.file);
  if (file.opened) {
    put(out, "kind", name_of(info.kind));
    if (!info.wrappers.empty()) {
      auto& wrappers = out["packed_in"].emplace_array();
      for (const object::FileKind kind : info.wrappers) wrappers.emplace_back(name_of(kind));
    }
    put(out, "member", info.member);
    if (info.arch != model::Arch::unknown) put(out, "arch", name_of(info.arch));
    put(out, "debug_id", debug_id_text(info));
    if (const auto id = pdb_id(info)) {
      out["guid"] = id->guid.hex_upper();
      out["age"] = id->age;
    }
    put(out, "code_id", info.code_id);
    put(out, "debug_file", info.debug_file);
    if (!info.features.empty()) {
      auto& features = out["features"].emplace_array();
      for (const std::string_view feature : info.features) features.emplace_back(feature);
    }
    if (!info.links.empty()) {
      auto& links = out["links"].emplace_array();
      for (const Link& link : info.links) {
        boost::json::object& one = links.emplace_back(boost::json::object()).as_object();
        put(one, "kind", name_of(link.kind));
        put(one, "debug_id", link.debug_id);
        put(one, "path", link.path);
      }
    }
    const auto put_all = [&](const char* key, const std::vector<std::string>& values) {
      if (values.empty()) return;
      auto& all = out[key].emplace_array();
      for (const std::string& value : values) all.emplace_back(valid_utf8(value));
    };
    put_all("checksums", info.checksums);
    put(out, "source_link", info.source_link);
    put_all("documents", info.documents);
    if (info.file_count) out["files"] = *info.file_count;
    if (!info.slices.empty()) {
      auto& slices = out["slices"].emplace_array();
      for (const SliceInfo& slice : info.slices) {
        boost::json::object& one = slices.emplace_back(boost::json::object()).as_object();
        put(one, "arch", slice.arch);
        if (slice.debug_id) put(one, "debug_id", slice.debug_id->dashed());
        one["offset"] = slice.offset;
        one["size"] = slice.size;
      }
    }
    if (!info.members.empty()) {
      auto& members = out["members"].emplace_array();
      for (const object::MemberInfo& member : info.members) {
        boost::json::object& one = members.emplace_back(boost::json::object()).as_object();
        put(one, "name", member.name);
        put(one, "kind", name_of(member.kind));
        if (member.arch != model::Arch::unknown) put(one, "arch", name_of(member.arch));
        if (member.debug_id) put(one, "debug_id", member.debug_id->dashed());
        put(one, "code_id", member.code_id);
        one["size"] = member.size;
      }
    }
    if (!info.sections.empty()) {
      auto& sections = out["sections"].emplace_array();
      for (const model::CodeSection& section : info.sections) {
        boost::json::object& one = sections.emplace_back(boost::json::object()).as_object();
        put(one, "name", section.name);
        one["address"] = section.start.value;
        one["size"] = section.size;
      }
    }
    out["size"] = file.size;
  }
  put(out, "error", file.error);
  return out;
}

int run(const Options& options) {
  int status = kDone;
  boost::json::array all;
  bool first = true;
  for (const std::string& name : options.files) {
    const Inspected file = inspect(name);
    if (options.json) {
      all.push_back(to_json(file));
    } else if (file.opened) {
      if (!std::exchange(first, false)) fmt::print("\n");
      print_text(file);
    }
    if (file.error.empty()) continue;
    status = kCouldNot;
    complain("inspect", file.error);
  }
  if (options.json) fmt::print("{}\n", boost::json::serialize(all));
  return status;
}

constexpr const char* kFooter = R"(For a PDB, guid and age are what serve's URLs have: /open/v2.1.0/NAME/GUID/AGE

Examples:
  symcached inspect app.pdb
  symcached inspect --json bin/*.dll | jq '.[].debug_id'

Exit status:
  0  every file was identified
  1  a file was not, or is malformed; stderr names it
  2  wrong usage

Environment: none is read.)";

}  // namespace

void add_inspect(CLI::App& app, int& status) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command =
      app.add_subcommand("inspect", "Identify files: print kind, architecture, ids, features and links");
  command->add_option("FILE", options->files, "debug file, program, cache or archive")->required();
  command->add_flag("--json", options->json, "print a JSON array, one object per file");
  command->footer(kFooter);
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace symcached::app
