#pragma once
/// Traces.dll of testing/dotnet/ and its Portable PDB, and what they are asked for by.
#include <string>
#include <string_view>

#include "sources/module_ids.hpp"
#include "testing/managed/dotnet_files.hpp"

namespace symcached::testkit {

/// What Traces.dll says of itself and of its PDB.
struct Traces {
  explicit Traces(std::string_view variant) : assembly(dotnet_file(variant, "Traces.dll")) {
    const auto image = pe::Image::open(as_bytes(assembly)).value();
    const sources::ImageId id{image.coff().timestamp, image.header().image_size};
    image_request = {.code_file = "Traces.dll", .code_id = id.code_id()};
    const auto files = pe::debug_files(image).value();
    pdb_request = {.debug_file = std::string(files.portable()->debug_file), .debug_id = files.portable()->debug_id()};
    for (const pe::PdbChecksum& c : files.checksums)
      pdb_request.checksums.push_back({std::string(c.algorithm), {c.digest.begin(), c.digest.end()}});
    pdb = dotnet_pdb(variant);
  }
  std::string key() const { return pdb_request.debug_id->guid.hex_lower() + "FFFFFFFF"; }
  std::string image_path() const { return "Traces.dll/" + image_key() + "/Traces.dll"; }
  std::string image_key() const { return pe_code_id(image_request.image()->timestamp, image_request.image()->size); }
  std::string path() const { return "/traces.pdb/" + key() + "/traces.pdb"; }
  sources::ModuleIds without_checksums() const {
    return {.debug_file = pdb_request.debug_file, .debug_id = pdb_request.debug_id};
  }

  std::string assembly, pdb;
  sources::ModuleIds image_request, pdb_request;
};

}  // namespace symcached::testkit
