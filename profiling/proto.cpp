#include "profiling/proto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "profiling/demangle.hpp"
#include "profiling/gzip.hpp"
#include "profiling/profile_places.hpp"
#include "profiling/protobuf.hpp"

namespace symcached::pprof {
namespace {

/// Field numbers of profile.proto.
struct InProfile {
  enum : unsigned {
    sample_type = 1,
    sample,
    mapping,
    location,
    function,
    string_table,
    drop_frames,
    keep_frames,
    time_nanos,
    duration_nanos,
    period_type,
    period,
    comment,
    default_sample_type
  };
};
struct InValueType {
  enum : unsigned { type = 1, unit };
};
struct InSample {
  enum : unsigned { location_id = 1, value };
};
struct InMapping {
  enum : unsigned {
    id = 1,
    memory_start,
    memory_limit,
    file_offset,
    filename,
    build_id,
    has_functions,
    has_filenames,
    has_line_numbers,
    has_inline_frames
  };
};
struct InLocation {
  enum : unsigned { id = 1, mapping_id, address, line };
};
struct InLine {
  enum : unsigned { function_id = 1, line };
};
struct InFunction {
  enum : unsigned { id = 1, name, system_name, filename, start_line };
};

using Field = std::int64_t Sample::*;

/// What one number of each sample is.
struct Value {
  std::string type, unit;
  Field field;
};

/// Frames that clients hide: everything from the innermost frame down to the last that has such a name.
constexpr std::string_view kAllocators =
    "(.*::)?(malloc|calloc|realloc|reallocarray|memalign|aligned_alloc|posix_memalign|valloc|pvalloc|free|strdup|"
    "strndup|tc_.*|operator new.*|_Zn[wa].*|mmap|mmap64|mremap|sbrk|brk)|tcmalloc::.*|_ZN8tcmalloc.*|libtcmalloc.*";
constexpr std::string_view kLocks =
    "(__)?pthread_(mutex_.*lock|rwlock_.*lock|cond_.*wait|spin_lock)|std::(shared_)?(timed_)?(recursive_)?mutex::.*|"
    "_ZNSt(12shared_)?5mutex.*|std::(unique|shared|scoped)_lock.*|std::lock_guard.*";

std::vector<Value> values_of(const Profile& profile) {
  const bool knows_all = std::ranges::any_of(
      profile.samples, [](const Sample& s) { return s.allocated_count != 0 || s.allocated_bytes != 0; });
  switch (profile.kind) {
    case Kind::cpu: return {{"samples", "count", &Sample::count}, {"cpu", "nanoseconds", &Sample::value}};
    case Kind::pmu: return {{"samples", "count", &Sample::count}, {profile.event, "count", &Sample::value}};
    case Kind::heap:
      if (!knows_all) break;
      return {{"alloc_objects", "count", &Sample::allocated_count},
              {"alloc_space", "bytes", &Sample::allocated_bytes},
              {"inuse_objects", "count", &Sample::count},
              {"inuse_space", "bytes", &Sample::value}};
    case Kind::contention: return {{"contentions", "count", &Sample::count}, {"delay", "nanoseconds", &Sample::value}};
    case Kind::threads: return {{"threads", "count", &Sample::count}};
    case Kind::growth: return {{"objects", "count", &Sample::count}, {"space", "bytes", &Sample::value}};
  }
  return {{"inuse_objects", "count", &Sample::count}, {"inuse_space", "bytes", &Sample::value}};
}

Value period_of(const Profile& profile) {
  switch (profile.kind) {
    case Kind::cpu: return {"cpu", "nanoseconds", nullptr};
    case Kind::pmu: return {profile.event, "count", nullptr};
    case Kind::heap:
    case Kind::growth: return {"space", "bytes", nullptr};
    case Kind::contention: return {"contentions", "count", nullptr};
    case Kind::threads: break;
  }
  return {"threads", "count", nullptr};
}

std::string_view hidden_in(Kind kind) {
  if (kind == Kind::heap || kind == Kind::growth) return kAllocators;
  return kind == Kind::contention ? kLocks : std::string_view();
}

class Encoder {
 public:
  Encoder(const Profile& profile, std::span<const MappedModule> modules, Naming& naming, ProtoOptions options)
      : profile_(profile), modules_(modules), options_(options), places_(profile, modules, naming) {
    index_of("");
  }

  Message encode() {
    add_samples();
    add_mappings();
    for (std::size_t i = 0; i < places_.all().size(); ++i) add_location(i + 1, places_.all()[i]);
    add_facts();
    for (const std::string& text : strings_) out_.text(InProfile::string_table, text);
    return std::move(out_);
  }

 private:
  std::uint64_t index_of(const std::string& text) {
    const auto [at, is_new] = string_numbers_.try_emplace(text, strings_.size());
    if (is_new) strings_.push_back(text);
    return at->second;
  }

  void add_value_type(unsigned field, const Value& value) {
    Message type;
    type.number(InValueType::type, index_of(value.type));
    type.number(InValueType::unit, index_of(value.unit));
    out_.message(field, type);
  }

  void add_samples() {
    const std::vector<Value> values = values_of(profile_);
    for (const Value& value : values) add_value_type(InProfile::sample_type, value);
    const bool shows_allocated = options_.allocated && values.size() == 4;
    const std::string& shown = values[shows_allocated ? 1 : values.size() - 1].type;
    out_.number(InProfile::default_sample_type, index_of(shown));
    for (const Sample& s : profile_.samples) {
      std::vector<std::uint64_t> ids, numbers;
      for (std::size_t depth = 0; depth < s.stack.size(); ++depth) ids.push_back(places_.of(s, depth) + 1);
      for (const Value& value : values) numbers.push_back(static_cast<std::uint64_t>(s.*value.field));
      Message sample;
      sample.numbers(InSample::location_id, ids);
      sample.numbers(InSample::value, numbers);
      out_.message(InProfile::sample, sample);
    }
  }

  /// What is known of the places of each module. Clients that are told of functions look for no others, which would be
  /// wrong more often than right: they know the file by its name alone.
  void add_mappings() {
    struct Known {
      bool files = false, lines = false, inlines = false;
    };
    std::vector<Known> known(modules_.size());
    for (const ProfilePlace& place : places_.all()) {
      if (place.module == nullptr) continue;
      Known& of_module = known[static_cast<std::size_t>(place.module - modules_.data())];
      of_module.inlines |= place.frames.size() > 1;
      for (const NamedFrame& frame : place.frames) {
        of_module.files |= !frame.file.empty();
        of_module.lines |= frame.line != 0;
      }
    }
    for (std::size_t i = 0; i < modules_.size(); ++i) {
      const MappedModule& module = modules_[i];
      Message mapping;
      mapping.number(InMapping::id, i + 1);
      mapping.number(InMapping::memory_start, module.begin);
      mapping.number(InMapping::memory_limit, module.end);
      mapping.number(InMapping::file_offset, module.file_offset);
      mapping.number(InMapping::filename, index_of(module.path));
      mapping.number(InMapping::build_id, index_of(module.build_id));
      mapping.number(InMapping::has_functions, 1);
      mapping.number(InMapping::has_filenames, known[i].files);
      mapping.number(InMapping::has_line_numbers, known[i].lines);
      mapping.number(InMapping::has_inline_frames, known[i].inlines);
      out_.message(InProfile::mapping, mapping);
    }
  }

  std::uint64_t function_of(const NamedFrame& frame) {
    const auto key = std::tuple(frame.function, frame.file, frame.start_line);
    const auto [at, is_new] = function_numbers_.try_emplace(key, function_numbers_.size() + 1);
    if (!is_new) return at->second;
    Message function;
    function.number(InFunction::id, at->second);
    function.number(InFunction::name, index_of(options_.demangle ? readable_name(frame.function) : frame.function));
    function.number(InFunction::system_name, index_of(frame.function));
    function.number(InFunction::filename, index_of(frame.file));
    function.number(InFunction::start_line, frame.start_line);
    out_.message(InProfile::function, function);
    return at->second;
  }

  void add_location(std::uint64_t id, const ProfilePlace& place) {
    Message location;
    location.number(InLocation::id, id);
    if (place.module != nullptr)
      location.number(InLocation::mapping_id, static_cast<std::uint64_t>(place.module - modules_.data()) + 1);
    location.number(InLocation::address, place.address);
    for (const NamedFrame& frame : place.frames) {
      Message line;
      line.number(InLine::function_id, function_of(frame));
      line.number(InLine::line, frame.line);
      location.message(InLocation::line, line);
    }
    out_.message(InProfile::location, location);
  }

  void add_facts() {
    const auto since_1970 = std::chrono::duration_cast<std::chrono::nanoseconds>(profile_.start.time_since_epoch());
    out_.number(InProfile::time_nanos, static_cast<std::uint64_t>(since_1970.count()));
    out_.number(InProfile::duration_nanos, static_cast<std::uint64_t>(profile_.duration.count()));
    add_value_type(InProfile::period_type, period_of(profile_));
    out_.number(InProfile::period, static_cast<std::uint64_t>(profile_.period));
    if (const auto hidden = hidden_in(profile_.kind); !hidden.empty())
      out_.number(InProfile::drop_frames, index_of(std::string(hidden)));
    std::vector<std::uint64_t> comments;
    if (!profile_.event.empty()) comments.push_back(index_of("event: " + profile_.event));
    if (profile_.lost != 0) comments.push_back(index_of(fmt::format("samples that were lost: {}", profile_.lost)));
    if (!comments.empty()) out_.numbers(InProfile::comment, comments);
  }

  const Profile& profile_;
  const std::span<const MappedModule> modules_;
  const ProtoOptions options_;
  const ProfilePlaces places_;
  Message out_;
  std::vector<std::string> strings_;
  std::unordered_map<std::string, std::uint64_t> string_numbers_;
  std::map<std::tuple<std::string, std::string, std::uint32_t>, std::uint64_t> function_numbers_;
};

}  // namespace

std::string proto(const Profile& profile, std::span<const MappedModule> modules, Naming& naming, ProtoOptions options) {
  return gzip(Encoder(profile, modules, naming, options).encode().bytes());
}

}  // namespace symcached::pprof
