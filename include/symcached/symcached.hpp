#pragma once
/// symcached in C++17: a thin layer over symcached.h, all of it here, so that no C++ name crosses the library's border.
/// What is said there of threads, lifetime and cost holds here. Nothing throws but what runs out of memory here.
#include <symcached/symcached.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace symcached {
inline namespace v0 {

struct OpenOptions {
  std::vector<std::string> debug_folders = {};  ///< where installed debug files lie; none: /usr/lib/debug
  std::uint32_t threads = 1;                    ///< to convert with
  std::uint64_t max_unpacked = 0;               ///< bytes that may come out of compressed ones; 0: 8 GiB
};

struct LookupOptions {
  bool names = true;           ///< false: files and lines alone, which is quicker
  bool parameters = true;      ///< in names
  bool linkage_names = false;  ///< of functions that are not inlined, where it is known
  bool demangle = true;        ///< false: names as they are recorded
  bool inlines = true;         ///< false: the function's own frame alone
};

struct Frame {
  std::string_view function, file;  ///< empty: unknown
  std::uint32_t line = 0;           ///< 1-based; 0: unknown
  std::uint32_t column = 0;         ///< 1-based; 0: unknown
  bool is_inlined = false;          ///< into the next frame
  // Of the function that holds the place; methods of .NET have neither start nor size.
  std::string_view language;
  std::uint64_t function_start = 0;  ///< from the image base
  std::uint32_t function_size = 0;   ///< bytes
};

/// Frames, innermost first, and the memory for them, to be used again and again. One per thread.
class Answer {
 public:
  Answer() : answer_(symcached_answer_new()) {}

  const std::vector<Frame>& frames() const { return frames_; }
  bool empty() const { return frames_.empty(); }
  auto begin() const { return frames_.begin(); }
  auto end() const { return frames_.end(); }

 private:
  friend class Module;
  struct Free {
    void operator()(symcached_answer* answer) const { symcached_answer_free(answer); }
  };

  void take(int count) {
    const auto text = [](const symcached_text& from) { return std::string_view(from.data, from.size); };
    frames_.clear();
    for (int i = 0; i < count; ++i) {
      const symcached_frame& from = symcached_frames(answer_.get())[i];
      Frame frame;
      frame.function = text(from.function);
      frame.file = text(from.file);
      frame.line = from.line;
      frame.column = from.column;
      frame.is_inlined = from.is_inlined != 0;
      frame.language = text(from.language);
      frame.function_start = from.function_start;
      frame.function_size = from.function_size;
      frames_.push_back(frame);
    }
  }

  std::unique_ptr<symcached_answer, Free> answer_;
  std::vector<Frame> frames_;
};

/// An opened cache, or a debug file converted in memory.
class Module {
 public:
  /// @param why  gets a sentence when there is nothing to return; null: it is not wanted
  static std::optional<Module> open(const std::string& path, std::string* why = nullptr,
                                    const OpenOptions& options = {}) {
    return opened(options, why, [&](const symcached_open_options* c, char* error, std::size_t size) {
      return symcached_open(path.c_str(), c, error, size);
    });
  }
  /// The bytes are not needed afterwards.
  static std::optional<Module> open_bytes(std::string_view bytes, std::string* why = nullptr,
                                          const OpenOptions& options = {}) {
    return opened(options, why, [&](const symcached_open_options* c, char* error, std::size_t size) {
      return symcached_open_bytes(bytes.data(), bytes.size(), c, error, size);
    });
  }

  /// @param address  from the image base; of a return address the byte before it
  /// @return         the frames of `answer`
  const std::vector<Frame>& lookup(std::uint64_t address, Answer& answer, const LookupOptions& options = {}) const {
    answer.take(symcached_lookup(module_.get(), address, flags(options), answer.answer_.get()));
    return answer.frames();
  }
  /// @param method  its MethodDef token or its row
  const std::vector<Frame>& lookup_method(std::uint32_t method, std::uint32_t il_offset, Answer& answer,
                                          const LookupOptions& options = {}) const {
    answer.take(symcached_lookup_method(module_.get(), method, il_offset, flags(options), answer.answer_.get()));
    return answer.frames();
  }

  bool is_managed() const { return symcached_is_managed(module_.get()) != 0; }
  std::string_view debug_id() const { return symcached_debug_id(module_.get()); }
  std::optional<std::uint64_t> image_base() const {
    std::uint64_t base = 0;
    return symcached_image_base(module_.get(), &base) != 0 ? std::optional<std::uint64_t>(base) : std::nullopt;
  }
  /// Sentences for people: files that were not found or not used, so that answers are poorer.
  std::vector<std::string_view> warnings() const {
    std::vector<std::string_view> all;
    while (const char* const one = symcached_warning(module_.get(), all.size())) all.push_back(one);
    return all;
  }
  /// The cache that it answers from, to be kept in a file.
  std::string_view cache() const {
    std::size_t size = 0;
    const void* const bytes = symcached_cache(module_.get(), &size);
    return {static_cast<const char*>(bytes), size};
  }

 private:
  struct Close {
    void operator()(symcached_module* module) const { symcached_close(module); }
  };
  explicit Module(symcached_module* module) : module_(module) {}

  template <class Open>
  static std::optional<Module> opened(const OpenOptions& options, std::string* why, const Open& open) {
    std::vector<const char*> folders;
    for (const std::string& folder : options.debug_folders) folders.push_back(folder.c_str());
    symcached_open_options c = {};
    c.struct_size = sizeof(c);
    c.debug_folders = folders.data();
    c.debug_folder_count = folders.size();
    c.threads = options.threads;
    c.max_unpacked = options.max_unpacked;
    char error[1024] = "";
    if (symcached_module* const module = open(&c, error, sizeof(error))) return Module(module);
    if (why != nullptr) *why = error;
    return std::nullopt;
  }

  static std::uint32_t flags(const LookupOptions& options) {
    std::uint32_t flags = 0;
    if (!options.names) flags |= SYMCACHED_NO_NAMES;
    if (!options.parameters) flags |= SYMCACHED_NO_PARAMETERS;
    if (options.linkage_names) flags |= SYMCACHED_LINKAGE_NAMES;
    if (!options.demangle) flags |= SYMCACHED_NO_DEMANGLE;
    if (!options.inlines) flags |= SYMCACHED_NO_INLINES;
    return flags;
  }

  std::unique_ptr<symcached_module, Close> module_;
};

}  // namespace v0
}  // namespace symcached
