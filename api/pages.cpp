#include "api/pages.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace symcached::api {
namespace {

constexpr std::string_view kPage = R"(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>symcached</title>
<style>body {{ font: 16px/1.5 sans-serif; max-width: 46em; margin: 3em auto; padding: 0 1em }}
pre {{ background: #eee; padding: .6em; overflow: auto }}</style>
<h1>symcached</h1>
<p>This server converts each PDB once into a small symcache and serves it over HTTP, so that profilers, crash reporters
and debuggers need not download and read the PDBs themselves.</p>
{wpa}<h2>Fetch a symcache</h2>
<pre>curl -f -o app.symcache {base}/open/v2.1.0/app.pdb/&lt;GUID&gt;/&lt;age&gt;</pre>
<p>The GUID may be written with or without dashes and braces; the age is decimal and may be left out when it is 1.
<code>symcached inspect app.pdb</code> prints both. The first request for a PDB waits for its conversion. With the
header <code>Allow-Retry-After: true</code> it is answered at once instead: 404 with <code>Retry-After</code> until the
symcache is ready.</p>
<h2>Why is there no symcache?</h2>
<pre>curl {base}/open/status/app.pdb/&lt;GUID&gt;/&lt;age&gt;{status}</pre>
<p>says which sources were asked, what they answered, and when they are asked again.</p>
<h2>Name the frames of stack traces</h2>
<pre>curl {base}/symbolicate -H 'Content-Type: application/json' -d @event.json</pre>
<p>takes stack traces and modules as Symbolicator does, and sources to look in, if they are not to be this server's.</p>
<h2>Health check</h2>
<pre>curl {base}/healthcheck</pre>
</html>
)";

constexpr std::string_view kWpa = R"(<h2>Windows Performance Analyzer</h2>
<p>In a command prompt, before you start WPA, wpaexporter or a program with TraceProcessor:</p>
<pre>set _NT_SYMCACHE_PATH=C:\SymCache*{base}</pre>
<p>Or in WPA, for all traces: Trace &gt; Configure Symbol Paths, and under SymCache paths</p>
<pre>C:\SymCache*{base}</pre>
<p>The folder in front is where WPA keeps what it fetched; it creates it. Symbols are loaded from the server with Trace
&gt; Load Symbols. To use nothing but symcaches, start WPA with <code>-symcacheonly</code>.</p>
)";
constexpr std::string_view kWpaStatus = "\ncurl {base}/status/app.pdb/&lt;GUID&gt;/&lt;age&gt;";

/// A Host header that can stand in HTML as it is; anything else is not repeated to the browser.
bool is_plain_host(std::string_view host) {
  return !host.empty() && host.size() <= 255 && std::ranges::all_of(host, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-._:[]").find(c) != std::string_view::npos;
  });
}

}  // namespace

http::Response index_page(const http::Request& request, const IndexOptions& options) {
  const std::string_view host = request.header("Host").value_or("");
  const std::string url = fmt::format("{}://{}{}", options.is_https ? "https" : "http",
                                      is_plain_host(host) ? host : "127.0.0.1:3021", options.prefix);
  const auto base = fmt::arg("base", url);
  std::string wpa, status;
  if (options.has_microsofts) {
    wpa = fmt::format(fmt::runtime(kWpa), base);
    status = fmt::format(fmt::runtime(kWpaStatus), base);
  }
  return {200,
          {{"Content-Type", "text/html; charset=utf-8"},
           {"Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'"}},
          fmt::format(fmt::runtime(kPage), base, fmt::arg("wpa", wpa), fmt::arg("status", status))};
}

}  // namespace symcached::api
