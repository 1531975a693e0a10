#include "profiling/index_page.hpp"

namespace symcached::pprof {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else out += c;
  }
  return out;
}

}  // namespace

std::string index_html(std::string_view program, std::span<const IndexRow> rows) {
  const std::string name = escaped(program);
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Profiles of " + name +
                    "</title></head>\n<body>\n<h1>Profiles of " + name + "</h1>\n<table>\n";
  for (const IndexRow& row : rows) {
    const std::string link = escaped(row.link);
    out += "<tr><td><a href=\"" + link + "\">" + link + "</a></td><td>" + escaped(row.what) + "</td></tr>\n";
  }
  return out +
         "</table>\n<p>Pages below /debug/pprof/ are for <code>go tool pprof</code> and whatever else reads "
         "profile.proto, those below /pprof/ for <code>google-pprof</code>.</p>\n</body></html>\n";
}

}  // namespace symcached::pprof
