#pragma once
/// A look at a file on a server, by a few requests for parts of it.
#include <memory>
#include <string>

#include "fetch/download.hpp"
#include "fetch/file_reader.hpp"
#include "fetch/part_file.hpp"

namespace symcached::fetch {

/// What is looked at.
struct Remote {
  std::string path;
  http::Headers headers;
  HttpHead head;  ///< of the answer that the first part came with: further parts must be of the same file
};

enum class Seeking : std::uint8_t { id, offer };

/// Asks for parts until they say what is sought, cannot say it, or `max_requests` were asked.
/// @param parts  has the start of the file
Task<Glimpse> look(Downloader& downloader, FileReader& reader, Remote remote, std::shared_ptr<PartFile> parts,
                   Seeking seeking, unsigned max_requests);

}  // namespace symcached::fetch
