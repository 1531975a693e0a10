#pragma once
/// Originals that do not lie in a directory as they are: downloaded, or unpacked from a cabinet.
#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "fetch/file_reader.hpp"
#include "fetch/outcome.hpp"
#include "fetch/sniff.hpp"
#include "net/task.hpp"
#include "store/store.hpp"

namespace symcached::fetch {

class ObjectCache {
 public:
  /// @param reader  looks into what was fetched, and into files of folders
  ObjectCache(store::Store& store, store::CacheKind kind, Limits limits, FileReader& reader)
      : store_(store), kind_(kind), limits_(limits), reader_(reader) {}

  /// An original as a source has it. It is kept by what it is, whatever source it came from: the key is the wanted
  /// one's.
  struct Item {
    Wanted wanted;
    std::string scope;  ///< who may see it from now on: the wanted one's, or all
    std::string origin;
    std::string identity = {};  ///< of what the source has: that of a cabinet, not of its member
    std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();  ///< getting it
  };

  /// What is kept for the scope of the wanted one, or for all; or Exhausted. Nothing if there is nothing, if it is
  /// another file than wanted, or if the source has another one by now: an empty identity is not compared.
  Task<std::optional<Outcome>> find(Item item);
  /// @param size  bytes that it is said to have; 0: not known
  std::expected<store::EntryWriter, std::string> create(const Item& item, std::uint64_t size = 0);
  /// What was written, judged by its first bytes and check(): published as it is, unpacked and published, or refused.
  Task<Outcome> keep(Item item, store::EntryWriter written);
  /// Unpacks what lies in `file` from `offset` on into an entry, out of up to kMaxWrappers wrappers.
  /// @param wrapper  the outermost
  Task<Outcome> keep_unpacked(Item item, Wrapper wrapper, int file, std::uint64_t offset);
  /// Is this the file that is wanted? @return a note on what could not be checked, or what asking ends in
  Task<std::expected<std::string, Outcome>> check(Item item, int file, std::uint64_t offset, std::uint64_t size);
  void forget(const Wanted& wanted);
  FileReader& reader() const { return reader_; }

 private:
  store::EntryKey entry_key(const Wanted& wanted, std::string scope) const {
    return {kind_, std::move(scope), wanted.key};
  }
  Task<std::optional<Outcome>> find_in(std::string scope, Item item);
  std::optional<Outcome> look_up(const Item& item, const std::string& scope);
  static Outcome outcome_of(const store::Entry& entry, const Item& item);
  Task<Outcome> judge(Item item, Content content, store::EntryWriter written, std::string_view where);
  Task<Outcome> publish(Item item, store::EntryWriter written);

  store::Store& store_;
  const store::CacheKind kind_;
  const Limits limits_;
  FileReader& reader_;
};

/// Whether a file that begins like this may be the wanted one.
bool is_wanted(Content content, const Wanted& wanted);
/// Whether it is what Wanted::or_native lets through.
bool is_native_pdb(const Original& original);
/// The outcome for content of another kind than wanted.
Outcome refuse(Content content, const ObjectCache::Item& item);
/// The outcome for a web page where a server should have sent a file.
Outcome login_page(const std::string& origin);
/// What the first bytes of a file say.
struct Sniffed {
  Content content;
  std::optional<Wrapper> wrapper;  ///< nothing: it is not packed, or wanted as it lies
};
/// Of `file` from `offset` on; or errno.
std::expected<Sniffed, int> sniff_file(int file, std::uint64_t offset, sources::FileType wanted);

}  // namespace symcached::fetch
