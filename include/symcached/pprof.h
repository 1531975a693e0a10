/* libsymcached_pprof in C: gives a program the pages that google-pprof and `go tool pprof` ask for. docs/pprof.md
 *
 * Thread safety: every function may be called from any thread, but each object belongs to one thread at a time, except
 * that symcached_pprof_cancel() may be called from any.
 *
 * Errors: no function throws, aborts or prints. Requests may be malicious: they are answered with a status of 400 or
 * above.
 *
 * ABI: existing structs and functions do not change while the shared library's version (libsymcached_pprof.so.0) stays
 * the same. Functions and trailing fields of structs with a struct_size may be added. */
#ifndef SYMCACHED_PPROF_H
#define SYMCACHED_PPROF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of the loaded library, such as "0.1.0". Static, NUL-terminated. */
const char* symcached_pprof_version(void);

/* --- a server ---------------------------------------------------------------------------------------------------- */

typedef struct symcached_pprof_server symcached_pprof_server;

/** Set struct_size; leave other fields 0 for their defaults. Texts are NUL-terminated and copied. */
typedef struct symcached_pprof_options {
  size_t struct_size;    /**< sizeof(symcached_pprof_options) */
  const char* address;   /**< "127.0.0.1:8080", "[::1]:0", "localhost:0"; default 127.0.0.1:0, which is any free port */
  const char* token;     /**< that clients have to send; default none */
  uint32_t allow_remote; /**< 1: without a token, an address that other machines reach will do, too */
  uint32_t max_connections; /**< at once; beyond it 503; default 16 */
} symcached_pprof_options;

/** Listens and serves, in threads of its own that take no signals. A child of fork() has no server.
 *
 * @param options  NULL for the defaults
 * @param error    receives a NUL-terminated message, truncated to error_size bytes; may be NULL
 * @return         NULL on failure; otherwise end it with symcached_pprof_stop(), or leave it to the end of the process
 */
symcached_pprof_server* symcached_pprof_start(const symcached_pprof_options* options, char* error, size_t error_size);

/** Where it listens. */
uint16_t symcached_pprof_port(const symcached_pprof_server* server);

/** Ends what is under way and returns when the threads have ended. Accepts NULL. */
void symcached_pprof_stop(symcached_pprof_server* server);

/* --- pages for a server of your own ------------------------------------------------------------------------------ */

typedef struct symcached_pprof_text {
  const char* data; /**< NULL: empty */
  size_t size;      /**< bytes */
} symcached_pprof_text;

/** Ends the profile of a client that is gone. */
typedef struct symcached_pprof_canceller symcached_pprof_canceller;
symcached_pprof_canceller* symcached_pprof_canceller_new(void); /**< NULL: out of memory */
void symcached_pprof_cancel(symcached_pprof_canceller* canceller);
void symcached_pprof_canceller_free(symcached_pprof_canceller* canceller); /**< accepts NULL */

/** Set struct_size; leave other fields 0 if they are not known. */
typedef struct symcached_pprof_request {
  size_t struct_size;                 /**< sizeof(symcached_pprof_request) */
  symcached_pprof_text method;        /**< default GET */
  symcached_pprof_text target;        /**< path and query as they came, percent-encoded; default / */
  symcached_pprof_text accept;        /**< the header of that name */
  symcached_pprof_text authorization; /**< the same */
  symcached_pprof_text body;
  symcached_pprof_text token;           /**< that clients have to send; default none */
  symcached_pprof_canceller* canceller; /**< freed after the answer is there; default none */
} symcached_pprof_request;

typedef struct symcached_pprof_response symcached_pprof_response;

/** 1 if there is such a page. */
int symcached_pprof_is_page(symcached_pprof_text target);

/** Answers a request, whatever the page. A profile takes as long as it is asked to: 30 s by default. Who may ask is for
 * your server to decide, if there is no token.
 * @return NULL: out of memory; otherwise free it with symcached_pprof_response_free() */
symcached_pprof_response* symcached_pprof_handle(const symcached_pprof_request* request);

/* What they return is valid until the response is freed. */
int symcached_pprof_status(const symcached_pprof_response* response);
/** Name of header number `index`, NUL-terminated; NULL after the last one. There is no Content-Length among them.
 * @param value  set to the value, NUL-terminated */
const char* symcached_pprof_header(const symcached_pprof_response* response, size_t index, const char** value);
symcached_pprof_text symcached_pprof_body(const symcached_pprof_response* response);
void symcached_pprof_response_free(symcached_pprof_response* response); /**< accepts NULL */

#ifdef __cplusplus
}
#endif

#endif
