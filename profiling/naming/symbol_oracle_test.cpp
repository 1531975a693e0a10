/// All functions of this program and of libstdc++ against readelf.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <set>
#include <sstream>

#include "profiling/naming/symbol_naming.hpp"

namespace symcached::pprof {
namespace {

struct Function {
  std::uint64_t begin = 0, end = 0;
  std::string name;
};

/// The functions with a size, as `readelf` prints them: "  12: 0000000000001040    38 FUNC    GLOBAL DEFAULT   14
/// main".
std::vector<Function> functions_of(const std::string& path) {
  std::vector<Function> out;
  FILE* pipe = ::popen(("readelf --wide --symbols " + path + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return out;
  char* line = nullptr;
  std::size_t capacity = 0;
  while (::getline(&line, &capacity, pipe) > 0) {
    std::istringstream words(line);
    std::string number, size, type, binding, visibility, section, name;
    std::uint64_t value = 0;
    words >> number >> std::hex >> value >> size >> type >> binding >> visibility >> section >> name;
    const std::uint64_t bytes = std::strtoull(size.c_str(), nullptr, 0);
    if ((type == "FUNC" || type == "IFUNC") && section != "UND" && bytes != 0)
      out.push_back({value, value + bytes, name.substr(0, name.find('@'))});
  }
  std::free(line);
  ::pclose(pipe);
  return out;
}

/// The functions that may be given for an address: of those that cover it the ones that begin last.
std::set<std::string> allowed(const std::multimap<std::uint64_t, const Function*>& by_begin, std::uint64_t address) {
  std::set<std::string> out;
  std::uint64_t begin = 0;
  for (auto at = by_begin.upper_bound(address); at != by_begin.begin();) {
    --at;
    if (!out.empty() && at->first != begin) break;
    if (address - at->first > (1u << 20)) break;  // no function is longer
    if (at->second->end <= address) continue;
    begin = at->first;
    out.insert(at->second->name);
  }
  return out;
}

const MappedModule& module_at(const std::vector<MappedModule>& modules, std::uintptr_t address) {
  for (const MappedModule& m : modules)
    if (m.begin <= address && address < m.end) return m;
  return modules.front();
}

void check_all(std::uintptr_t within, std::size_t at_least) {
  Dl_info info{};
  ASSERT_NE(::dladdr(reinterpret_cast<void*>(within), &info), 0);
  const auto bias = reinterpret_cast<std::uintptr_t>(info.dli_fbase);  // what is linked for address 0
  const auto modules = mapped_modules();
  const auto functions = functions_of(module_at(modules, within).path);
  ASSERT_GT(functions.size(), at_least);
  std::multimap<std::uint64_t, const Function*> by_begin;
  std::vector<std::uintptr_t> addresses;
  for (const Function& f : functions) {
    by_begin.emplace(f.begin, &f);
    for (const std::uint64_t at : {f.begin, f.begin + (f.end - f.begin) / 2, f.end - 1}) addresses.push_back(bias + at);
  }
  const auto named = symbol_table_naming()->name(addresses, {});
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    ASSERT_EQ(named[i].size(), 1u);
    const std::set<std::string> right = allowed(by_begin, addresses[i] - bias);
    if (right.contains(named[i][0].function) || ++wrong > 10) continue;
    ADD_FAILURE() << std::hex << addresses[i] - bias << ": " << named[i][0].function << ", not " << *right.begin();
  }
  EXPECT_EQ(wrong, 0u) << "of " << addresses.size();
}

void local_function() {}

TEST(SymbolOracle, EachFunctionOfThisProgram) { check_all(reinterpret_cast<std::uintptr_t>(&local_function), 500); }

TEST(SymbolOracle, EachFunctionOfTheCxxLibrary) {
  void* const library = ::dlopen("libstdc++.so.6", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(library, nullptr);
  check_all(reinterpret_cast<std::uintptr_t>(::dlsym(library, "_ZSt9terminatev")), 3000);
  ::dlclose(library);
}

}  // namespace
}  // namespace symcached::pprof
