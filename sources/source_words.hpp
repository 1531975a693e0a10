#pragma once
/// The words of descriptions of sources that are the same in configurations and in requests.
#include <array>
#include <string_view>
#include <utility>

#include "sources/source_config.hpp"

namespace symcached::sources {

template <class Enum>
using WordOf = std::pair<std::string_view, Enum>;

inline constexpr auto kLayoutWords = std::to_array<WordOf<Layout>>({
    {"automatic", Layout::automatic},
    {"symstore", Layout::symstore},
    {"symstore_index2", Layout::symstore_index2},
    {"ssqp", Layout::ssqp},
    {"native", Layout::native},
    {"unified", Layout::unified},
    {"breakpad", Layout::breakpad},
    {"nuget", Layout::nuget},
    {"debuginfod", Layout::debuginfod},
    {"flat", Layout::flat},
    {"loose", Layout::loose},
    {"slashsymbols", Layout::slashsymbols},
});

inline constexpr auto kCasingWords = std::to_array<WordOf<Casing>>(
    {{"default", Casing::standard}, {"lowercase", Casing::lower}, {"uppercase", Casing::upper}});

inline constexpr auto kCredentialsWords =
    std::to_array<WordOf<S3Place::Credentials>>({{"static", S3Place::Credentials::fixed},
                                                 {"container", S3Place::Credentials::container},
                                                 {"instance", S3Place::Credentials::instance}});

/// Types of files in Symbolicator's descriptions that mean nothing here: no such file is read.
inline constexpr std::string_view kForeignFileTypes[] = {"il2cpp", "proguard"};

/// Bytes of a source's id, all of them printable characters of ASCII.
inline constexpr std::size_t kMaxSourceId = 128;
bool is_source_id(std::string_view id);

/// Neither starts another line, nor a value in its name.
bool is_header(std::string_view name, std::string_view value);

/// By its scheme alone, in any case.
bool is_http_url(std::string_view text);

}  // namespace symcached::sources
