/* symcached in C: from an address, or a .NET method's IL offset, to functions, files and lines. docs/library.md
 *
 * Threads: any number may ask one module, each with its own answer. One answer is for one thread at a time. Opening and
 * closing are free of shared state; nobody may ask a module that is being closed.
 *
 * Lifetime: texts and frames are views. They live until the next question with the same answer, until that answer is
 * freed, or until the module is closed, whatever comes first. They do not end in a NUL.
 *
 * Failure: no function throws, aborts or prints. Files may hold anything: one that is no good is refused with a
 * sentence, and a place that is not known has no frames.
 *
 * ABI: structs and functions stay as they are while SYMCACHED_ABI_VERSION, which is in the shared library's name, does;
 * functions and flags are added. */
#ifndef SYMCACHED_SYMCACHED_H
#define SYMCACHED_SYMCACHED_H

#include <stddef.h>
#include <stdint.h>

#define SYMCACHED_ABI_VERSION 0

#ifdef __cplusplus
extern "C" {
#endif

/** Of the library that is loaded: SYMCACHED_ABI_VERSION as it was built with. */
uint32_t symcached_abi_version(void);
/** Of the library that is loaded: "0.1.0", static. */
const char* symcached_version(void);

/* --- modules ---------------------------------------------------------------------------------------------------- */

/** An opened cache: of a debug file, of an executable, of a .NET module. */
typedef struct symcached_module symcached_module;

/** How to open. Set struct_size and leave 0 what is not of interest: fields are added at the end. */
typedef struct symcached_open_options {
  size_t struct_size; /**< sizeof(symcached_open_options) */
  /** Where installed debug files lie, as /usr/lib/debug, which is taken when there are none. NUL-terminated paths. */
  const char* const* debug_folders;
  size_t debug_folder_count;
  uint32_t threads;      /**< to convert with; 0: one */
  uint32_t reserved;     /**< 0 */
  uint64_t max_unpacked; /**< bytes that may come out of compressed ones; 0: 8 GiB, and in proportion to the file */
} symcached_open_options;

/** Opens a cache, which is mapped, or any file that a cache can be made of, which is converted in memory; packed files
 * (gzip, zstd, xz, zip, cabinets) are unpacked. Further files that it refers to are looked for beside it and in the
 * debug folders.
 *
 * @param path     NUL-terminated
 * @param options  null: as if all of it were 0
 * @param error    gets a sentence that ends in a NUL, cut to error_size; null: it is not wanted
 * @return         null: it could not be opened; close what was opened
 * Cost: of a cache microseconds; of a debug file about 0.4 s for 100 MB of PDB, 2 s for 100 MB of compressed DWARF.
 * A mapped cache that somebody cuts short in place ends the process when it is read: replace caches by renaming. */
symcached_module* symcached_open(const char* path, const symcached_open_options* options, char* error,
                                 size_t error_size);

/** The same of bytes in memory; no further files are looked for. The bytes are not needed afterwards. */
symcached_module* symcached_open_bytes(const void* bytes, size_t size, const symcached_open_options* options,
                                       char* error, size_t error_size);

/** Null is fine. */
void symcached_close(symcached_module* module);

/** 1: places in it are methods and IL offsets, asked with symcached_lookup_method(). 0: they are addresses. */
int symcached_is_managed(const symcached_module* module);

/** The cache that the module answers from, to be written to a file that opens in microseconds. Lives as long as the
 * module. By custom such files are called NAME.symcache, those of .NET NAME.ppdbcache. */
const void* symcached_cache(const symcached_module* module, size_t* size);

/** The module's debug id as Breakpad writes it: "3249D99D0C4049318610F4E4FB0B69361", NUL-terminated; all zeros where
 * the file states none. Lives as long as the module. */
const char* symcached_debug_id(const symcached_module* module);

/** Where the image starts by the file's own word. Addresses as ELF, Mach-O and WebAssembly files state them, and as
 * addr2line takes them, are this much larger than those that symcached_lookup() takes.
 * @return 1: *base is set; 0: the file does not say, and a cache never does */
int symcached_image_base(const symcached_module* module, uint64_t* base);

/** Sentences for people: files that were not found or not used, so that answers are poorer. NUL-terminated.
 * @return null: index is as large as the number of them or larger. Lives as long as the module. */
const char* symcached_warning(const symcached_module* module, size_t index);

/* --- questions -------------------------------------------------------------------------------------------------- */

typedef struct symcached_text {
  const char* data; /**< UTF-8 as the compiler wrote it, unchecked; not null */
  size_t size;      /**< bytes; 0: unknown */
} symcached_text;

typedef struct symcached_frame {
  symcached_text function;
  symcached_text file;
  symcached_text language; /**< of the function that holds the place: "c", "c++", "rust", "c#", … */
  uint64_t function_start; /**< of the function that holds the place: from the image base; 0 in .NET */
  uint32_t function_size;  /**< bytes; 0 in .NET */
  uint32_t line;           /**< 1-based; 0: unknown */
  uint32_t column;         /**< 1-based; 0: unknown */
  uint32_t is_inlined;     /**< 1: into the next frame; 0: the function that holds the place, the last frame */
} symcached_frame;

/** Memory for answers, to be used again and again: what the largest one took, and up to 8 MiB of demangled names. */
typedef struct symcached_answer symcached_answer;

/** Null: there is no memory. */
symcached_answer* symcached_answer_new(void);
/** Null is fine. */
void symcached_answer_free(symcached_answer* answer);

/** Flags of a question, added up. Without any: qualified names, demangled, with parameters, and inlined calls. */
enum {
  SYMCACHED_NO_PARAMETERS = 1, /**< names without parameters */
  SYMCACHED_LINKAGE_NAMES = 2, /**< of functions that are not inlined, where it is known */
  SYMCACHED_NO_DEMANGLE = 4,   /**< names as they are recorded */
  SYMCACHED_NO_NAMES = 8,      /**< files and lines alone, which is quicker */
  SYMCACHED_NO_INLINES = 16    /**< the function's own frame alone */
};

/** Frames that cover an address, innermost first; symcached_frames() has them.
 * @param address  bytes from the image base: an address in the process, less where the module is loaded there. A return
 *                 address belongs to the instruction before it: take 1 off
 * @return         how many frames; 0: nothing is known of the place; -1: there is no memory
 * Cost: about a microsecond, and several for each name that this answer meets for the first time and demangles. */
int symcached_lookup(const symcached_module* module, uint64_t address, uint32_t flags, symcached_answer* answer);

/** The same of .NET.
 * @param method     its MethodDef token (0x06000004), or its row (4)
 * @param il_offset  bytes from the start of its IL */
int symcached_lookup_method(const symcached_module* module, uint32_t method, uint32_t il_offset, uint32_t flags,
                            symcached_answer* answer);

/** As many as the last question said. */
const symcached_frame* symcached_frames(const symcached_answer* answer);

#ifdef __cplusplus
}
#endif

#endif
