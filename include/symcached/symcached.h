/* libsymcached in C: turns addresses, and IL offsets of .NET methods, into functions, files and lines, and gets
 * symcaches from servers. docs/library.md
 *
 * Thread safety: any number of threads may query one module, each with its own answer object. An answer object must not
 * be used by two threads at once. There is no shared state between modules. Do not close a module while it is queried.
 *
 * Lifetime: frames and their strings point into the answer and the module. They are valid until the next query with the
 * same answer object, until that object is freed, or until the module is closed, whichever comes first. Strings are not
 * NUL-terminated unless stated.
 *
 * Errors: no function throws, aborts or prints. Input may be malicious: an unusable file is rejected with a message,
 * and an unknown address has no frames.
 *
 * ABI: existing structs and functions do not change while SYMCACHED_ABI_VERSION stays the same, which is also the
 * version of the shared library (libsymcached.so.0). Functions, flags and trailing fields of structs with a struct_size
 * may be added. */
#ifndef SYMCACHED_SYMCACHED_H
#define SYMCACHED_SYMCACHED_H

#include <stddef.h>
#include <stdint.h>

#define SYMCACHED_ABI_VERSION 0

#ifdef __cplusplus
extern "C" {
#endif

/** SYMCACHED_ABI_VERSION of the loaded library. */
uint32_t symcached_abi_version(void);
/** Version of the loaded library, such as "0.1.0". Static, NUL-terminated. */
const char* symcached_version(void);

/* --- modules ---------------------------------------------------------------------------------------------------- */

/** An opened symcache or ppdbcache (.NET), or a debug file converted in memory. */
typedef struct symcached_module symcached_module;

/** Set struct_size; leave other fields 0 for their defaults. */
typedef struct symcached_open_options {
  size_t struct_size; /**< sizeof(symcached_open_options) */
  /** Directories searched for separate debug files, NUL-terminated. Default: /usr/lib/debug. */
  const char* const* debug_directories;
  size_t debug_directory_count;
  uint32_t threads;      /**< for conversion; default 1 */
  uint32_t reserved;     /**< 0 */
  uint64_t max_unpacked; /**< limit for decompressed bytes; default 8 GiB, less for small files */
} symcached_open_options;

/** Opens a cache, or converts a debug file, executable or .NET module in memory. Decompresses gzip, zstd, xz, zip and
 * cabinets. Separate debug files are searched beside the file and in the debug directories.
 *
 * @param path     NUL-terminated
 * @param options  NULL for the defaults
 * @param error    receives a NUL-terminated message, truncated to error_size bytes; may be NULL
 * @return         NULL on failure; otherwise close it with symcached_close()
 * Cost: microseconds for a cache, which is memory-mapped; to convert, about 0.4 s per 100 MB of PDB and 2 s per 100 MB
 * of compressed DWARF. Replace cache files by renaming: truncating a mapped file crashes whoever reads it. */
symcached_module* symcached_open(const char* path, const symcached_open_options* options, char* error,
                                 size_t error_size);

/** The same from memory, without separate debug files. The bytes may be freed afterwards. */
symcached_module* symcached_open_bytes(const void* bytes, size_t size, const symcached_open_options* options,
                                       char* error, size_t error_size);

/** Accepts NULL. */
void symcached_close(symcached_module* module);

/** 1 for .NET: use symcached_lookup_method(). 0: use symcached_lookup(). */
int symcached_is_managed(const symcached_module* module);

/** The bytes of the module's cache. Written to a file, they open in microseconds. Valid until the module is closed.
 * `symcached convert` names such files NAME.symcache, or NAME.ppdbcache for .NET. */
const void* symcached_cache(const symcached_module* module, size_t* size);

/** The debug id in Breakpad's format, "3249D99D0C4049318610F4E4FB0B69361"; all zeros if the file has none.
 * NUL-terminated, valid until the module is closed. */
const char* symcached_debug_id(const symcached_module* module);

/** The image base, to be subtracted from virtual addresses (as printed by nm and taken by addr2line) before
 * symcached_lookup().
 * @return 1: *base is set; 0: unknown. Caches do not store it */
int symcached_image_base(const symcached_module* module, uint64_t* base);

/** Warning number `index`, such as a missing debug file that makes answers less complete.
 * @return NUL-terminated, valid until the module is closed; NULL after the last one */
const char* symcached_warning(const symcached_module* module, size_t index);

/* --- queries ---------------------------------------------------------------------------------------------------- */

typedef struct symcached_text {
  const char* data; /**< as the compiler wrote it, not validated as UTF-8; never NULL */
  size_t size;      /**< bytes; 0 if unknown */
} symcached_text;

typedef struct symcached_frame {
  symcached_text function;
  symcached_text file;
  symcached_text language; /**< of the outermost function: "c", "c++", "rust", "c#", … */
  uint64_t function_start; /**< of the outermost function: RVA; 0 for .NET */
  uint32_t function_size;  /**< of the outermost function: bytes; 0 for .NET */
  uint32_t line;           /**< 1-based; 0 if unknown */
  uint32_t column;         /**< 1-based; 0 if unknown */
  uint32_t is_inlined;     /**< 1: inlined into the next frame; 0: the last frame */
} symcached_frame;

/** Holds the frames of one query. Reuse it: it keeps its memory and caches up to 8 MiB of demangled names. */
typedef struct symcached_answer symcached_answer;

/** NULL if out of memory. */
symcached_answer* symcached_answer_new(void);
/** Accepts NULL. */
void symcached_answer_free(symcached_answer* answer);

/** Flags for queries. With none: demangled names with parameters, and inlined frames. */
enum {
  SYMCACHED_NO_PARAMETERS = 1, /**< omit parameters from names */
  SYMCACHED_LINKAGE_NAMES = 2, /**< use linkage names where known; not for inlined frames */
  SYMCACHED_NO_DEMANGLE = 4,   /**< names as recorded */
  SYMCACHED_NO_NAMES = 8,      /**< only files and lines, which is faster */
  SYMCACHED_NO_INLINES = 16    /**< only the outermost frame */
};

/** Looks up an address; get the frames, innermost first, with symcached_frames().
 * @param address  RVA: the address in the process minus the module's load address. Subtract 1 more from a return
 * address
 * @return         number of frames; 0 if the address is unknown; -1 if out of memory
 * Cost: about 1 µs, plus several µs for each name that is not among the cached demangled ones. */
int symcached_lookup(const symcached_module* module, uint64_t address, uint32_t flags, symcached_answer* answer);

/** Looks up an IL offset in a .NET method.
 * @param method     MethodDef token (0x06000004) or row (4)
 * @param il_offset  bytes from the start of the method's IL */
int symcached_lookup_method(const symcached_module* module, uint32_t method, uint32_t il_offset, uint32_t flags,
                            symcached_answer* answer);

/** The frames of the last query with this answer, as many as it returned. */
const symcached_frame* symcached_frames(const symcached_answer* answer);

/* --- SymCache servers ------------------------------------------------------------------------------------------- */

/** Set struct_size; leave other fields 0 for their defaults. Strings are NUL-terminated UTF-8. */
typedef struct symcached_fetch_options {
  size_t struct_size;       /**< sizeof(symcached_fetch_options) */
  const char* version;      /**< highest version to take; default "2.0.0" if the URL ends in /open, else "3.1.0" */
  const char* user;         /**< for a server that wants a password; credentials may also be in the URL */
  const char* password;
  const char* bearer_token; /**< instead of user and password */
  uint32_t negotiate;       /**< 1: authenticate with Kerberos, with the credentials of the process */
  uint32_t timeout_ms;      /**< in all, waiting until the server has made the symcache included; default 10 minutes */
} symcached_fetch_options;

/** What symcached_fetch() returns. */
enum {
  SYMCACHED_FETCH_FAILED = -1, /**< the message says why */
  SYMCACHED_FETCHED = 0,       /**< it is in the directory, now or since before */
  SYMCACHED_NOT_THERE = 1,     /**< the server does not have it and cannot make it */
  SYMCACHED_NOT_YET = 2        /**< the server did not have it ready in time; call again */
};

/** Gets a symcache from a server of the SymCache protocol into a directory, laid out as the Windows Performance
 * Toolkit does it; one that is there already is fetched again only if the server has a newer version. Programs and
 * threads may share the directory. Sends requests to the server and wherever it redirects them; credentials go to the
 * server alone. libcurl.so.4 is loaded by the first call.
 *
 * @param url        base URL, what is before /v3.1.0: "https://host/symcache"
 * @param pdb_name   of the PDB; of a path the last part
 * @param pdb_guid   with or without dashes
 * @param pdb_age    1 for most PDBs
 * @param directory  created if it is missing
 * @param options    NULL for the defaults
 * @param path       receives the path of the symcache, NUL-terminated; a path that does not fit is a failure
 * @param error      receives a NUL-terminated message, truncated to error_size bytes; may be NULL
 * Blocks until it is done, but not much longer than timeout_ms. Any thread. */
int symcached_fetch(const char* url, const char* pdb_name, const char* pdb_guid, uint32_t pdb_age,
                    const char* directory, const symcached_fetch_options* options, char* path, size_t path_size,
                    char* error, size_t error_size);

/* --- debug files ------------------------------------------------------------------------------------------------- */

/** Gets the separate debug file of an ELF file into a directory, as BUILD_ID.debug; one that is there already is not
 * fetched again. libcurl.so.4 is loaded by the first call.
 *
 * @param sources     URLs of debuginfod or other symbol servers, or folders, separated by blanks as in
 *                    DEBUGINFOD_URLS; asked in turn until one has the file
 * @param build_id    lower-case hex digits
 * @param directory   created if it is missing
 * @param timeout_ms  of one source; 0: 10 minutes
 * @param path        receives the path of the file, NUL-terminated; a path that does not fit is a failure
 * @param error       receives a NUL-terminated message, truncated to error_size bytes; may be NULL
 * @return            as symcached_fetch(); SYMCACHED_NOT_THERE: every source says no
 * Blocks until it is done. Any thread. */
int symcached_fetch_debug_file(const char* sources, const char* build_id, const char* directory, uint32_t timeout_ms,
                               char* path, size_t path_size, char* error, size_t error_size);

/** The same with credentials, which are sent to each URL in `sources`, and nowhere that it redirects to.
 * @param options  NULL for the defaults; timeout_ms is of one source, version means nothing here */
int symcached_fetch_debug_file_with(const char* sources, const char* build_id, const char* directory,
                                    const symcached_fetch_options* options, char* path, size_t path_size, char* error,
                                    size_t error_size);

#ifdef __cplusplus
}
#endif

#endif
