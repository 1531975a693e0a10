#pragma once
/// libcurl, loaded when the first transfer needs it. It brings thirty libraries along, and loading them takes longer
/// than most commands take that never touch the network: docs/decisions/0005-loading-late.md.
#include <curl/curl.h>

namespace symcached::fetch {

/// The functions of libcurl that are used here, under their names without "curl_".
struct CurlLibrary {
  decltype(&::curl_global_init) global_init;
  decltype(&::curl_free) free;
  decltype(&::curl_slist_append) slist_append;
  decltype(&::curl_slist_free_all) slist_free_all;

  decltype(&::curl_easy_init) easy_init;
  decltype(&::curl_easy_setopt) easy_setopt;
  decltype(&::curl_easy_getinfo) easy_getinfo;
  decltype(&::curl_easy_strerror) easy_strerror;
  decltype(&::curl_easy_header) easy_header;
  decltype(&::curl_easy_cleanup) easy_cleanup;

  decltype(&::curl_multi_init) multi_init;
  decltype(&::curl_multi_add_handle) multi_add_handle;
  decltype(&::curl_multi_remove_handle) multi_remove_handle;
  decltype(&::curl_multi_perform) multi_perform;
  decltype(&::curl_multi_poll) multi_poll;
  decltype(&::curl_multi_wakeup) multi_wakeup;
  decltype(&::curl_multi_info_read) multi_info_read;
  decltype(&::curl_multi_setopt) multi_setopt;
  decltype(&::curl_multi_strerror) multi_strerror;
  decltype(&::curl_multi_cleanup) multi_cleanup;

  decltype(&::curl_url) url;
  decltype(&::curl_url_set) url_set;
  decltype(&::curl_url_get) url_get;
  decltype(&::curl_url_strerror) url_strerror;
  decltype(&::curl_url_cleanup) url_cleanup;
};

/// Loaded and initialised by the first call; safe from several threads.
/// Throws std::runtime_error, saying what to install, if it cannot be loaded.
const CurlLibrary& curl();

}  // namespace symcached::fetch
