#pragma once
/// Collects source files and rules of Source Link, and writes them as a sourcecache.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_writer.hpp"
#include "base/bytes.hpp"
#include "ids/guid.hpp"
#include "sourcecache/format.hpp"

namespace symcached::sourcecache {

/// Views are valid during the call only.
struct NewFile {
  std::string_view path;  ///< as debug information names it
  std::string_view url;   ///< where the text can be had; empty: nobody says
  TextCodec codec = TextCodec::none;
  Bytes packed;            ///< empty without a text
  std::uint64_t size = 0;  ///< bytes of the plain text, as stated
};

class Writer {
 public:
  void debug_id(const DebugId& id) { debug_id_ = id; }
  /// Of several files with one path the first counts. What is beyond the format's limits is left out and counted: other
  /// files are of use without it. The text is not unpacked.
  void file(const NewFile& file);
  void link(std::string_view path, std::string_view url);
  std::uint64_t left_out() const { return left_out_; }

  std::vector<std::byte> finish() &&;

 private:
  struct File {
    std::string path;
    FileRecord record{};
  };
  bool has_room(std::size_t record, std::size_t strings) const;
  StringRef put_string(std::string_view text);

  DebugId debug_id_;
  std::vector<File> files_;
  std::vector<LinkRecord> links_;
  ByteWriter strings_, texts_;
  std::uint64_t left_out_ = 0;
};

}  // namespace symcached::sourcecache
