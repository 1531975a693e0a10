#include "service/listed_places.hpp"

#include <gmock/gmock.h>

#include "fetch/http_client.hpp"
#include "fetch/source.hpp"
#include "store/store.hpp"

namespace symcached::service {
namespace {

using sources::Layout;
using sources::ModuleType;
using ::testing::ElementsAreArray;

sources::ModuleIds windows() {
  return {.code_file = R"(C:\app\crash.exe)",
          .debug_file = R"(C:\app\crash.pdb)",
          .code_id = "5ab380779000",
          .debug_id = DebugId::parse("0e77a1b2-c3d4-e5f6-0718-293a4b5c6dc1-1")};
}
sources::ModuleIds linux_() {
  return {.code_file = "/opt/srv", .debug_file = "srv", .code_id = "f1c3bcc0279865fe3058404b2831d9e64135386c"};
}
sources::ModuleIds dotnet() {
  return {.code_file = "/app/x.dll",
          .debug_file = "/app/x.pdb",
          .debug_id = DebugId::parse("0e77a1b2-c3d4-e5f6-0718-293a4b5c6dc1-a39453e5")};
}

/// The places of a server with that layout, for both purposes.
std::vector<std::string> places(Layout layout, ModuleType type, const sources::ModuleIds& module) {
  const auto store = store::Store::unnamed();
  fetch::ObjectCache objects(*store, {"objects", 1}, {}, fetch::reader_of_this_process());
  fetch::HttpClient client({}, "test");
  const sources::SourceConfig config{.id = "s",
                                     .location = sources::HttpPlace{.url = "http://127.0.0.1:1/"},
                                     .layout = layout,
                                     .probing = sources::Probing::first};
  const auto source = fetch::make_source(config, objects, client);
  std::vector<std::string> all;
  for (const Purpose purpose : {Purpose::names, Purpose::sources})
    for (const ListedPlace& place : listed_places(**source, {type, module}, purpose))
      if (std::ranges::find(all, place.path) == all.end()) all.push_back(place.path);
  return all;
}

TEST(ListedPlaces, AreThoseOfSymbolicator) {
  struct Row {
    Layout layout;
    ModuleType type;
    sources::ModuleIds module;
    std::vector<std::string> want;
  };
  const std::string guid = "0E77A1B2C3D4E5F60718293A4B5C6DC1", lower = "0e77a1b2c3d4e5f60718293a4b5c6dc1";
  const std::string build = "f1c3bcc0279865fe3058404b2831d9e64135386c";
  const std::string elf = "f1/c3bcc0279865fe3058404b2831d9e64135386c";
  const std::string breakpad = "C0BCC3F19827FE653058404B2831D9E60";
  const Row rows[] = {
      {Layout::native,
       ModuleType::pe,
       windows(),
       {"crash.exe/5AB380779000/crash.exe", "crash.exe/5AB380779000/crash.ex_", "crash.pdb/" + guid + "1/crash.sym",
        "crash.pdb/" + guid + "1/crash.pdb", "crash.pdb/" + guid + "1/crash.pd_", "5a/b380779000.debug",
        "crash.pdb/" + guid + "1/crash.src.zip"}},
      {Layout::symstore,
       ModuleType::pe,
       windows(),
       {"crash.exe/5AB380779000/crash.exe", "crash.exe/5AB380779000/crash.ex_", "crash.pdb/" + guid + "1/crash.pdb",
        "crash.pdb/" + guid + "1/crash.pd_", "_.debug/elf-buildid-sym-5ab380779000/_.debug",
        "crash.pdb/" + guid + "1/crash.src.zip"}},
      {Layout::ssqp,
       ModuleType::pe,
       windows(),
       {"crash.exe/5ab380779000/crash.exe", "crash.exe/5ab380779000/crash.ex_", "crash.pdb/" + lower + "1/crash.pdb",
        "crash.pdb/" + lower + "1/crash.pd_", "_.debug/elf-buildid-sym-5ab380779000/_.debug",
        "crash.pdb/" + lower + "1/crash.src.zip"}},
      {Layout::native,
       ModuleType::elf,
       linux_(),
       {elf, "srv/" + breakpad + "/srv.sym", elf + ".debug", elf + ".src.zip", "srv/" + breakpad + "/srv.src.zip"}},
      {Layout::debuginfod, ModuleType::elf, linux_(), {build + "/executable", build + "/debuginfo"}},
      {Layout::native,
       ModuleType::pe_dotnet,
       dotnet(),
       {"x.pdb/" + guid + "ffffffff/x.pdb", "x.pdb/" + guid + "ffffffff/x.pd_", "x.pdb/" + guid + "a39453e5/x.src.zip",
        "x.pdb/" + guid + "ffffffff/x.src.zip"}},
      {Layout::unified,
       ModuleType::pe_dotnet,
       dotnet(),
       {"0e/77a1b2c3d4e5f60718293a4b5c6dc1a39453e5/debuginfo", "0e/77a1b2c3d4e5f60718293a4b5c6dc1a39453e5/debuginf_",
        "0e/77a1b2c3d4e5f60718293a4b5c6dc1a39453e5/sourcebundle", "0e/77a1b2c3d4e5f60718293a4b5c6dc1/debuginfo"}},
  };
  for (const Row& row : rows)
    EXPECT_THAT(places(row.layout, row.type, row.module), ::testing::UnorderedElementsAreArray(row.want))
        << static_cast<int>(row.layout) << " " << sources::name_of(row.type);
}

}  // namespace
}  // namespace symcached::service
