#pragma once
/* Sources of dwarf_matrix_test.py. They are compiled, never run. Comments tell the test what it must find:
 *
 *     @function ID [NAME]   from here on lines belong to the function ID; NAME, a regular expression, is what its
 *                           demangled name without parameters must match
 *     @call ID              this line calls ID, which is always inlined here
 *     PROBE(NAME)           a place in code whose frames are checked; its line belongs to the current function
 *     @probe NAME           the same in assembly, where the label is probe_NAME_0 and marks the next instruction
 *     @at FILE:LINE         where the place of this line is said to be, when it is not here
 *
 * A function that a @call names is inlined everywhere, all others nowhere, so each probe's frames are known.
 */
#if defined(__clang__)
#define NEVER __attribute__((noinline, used))
#else
#define NEVER __attribute__((noinline, noclone, used))
#endif
#define ALWAYS __attribute__((always_inline)) inline

#if defined(__s390x__)
#define ONE_INSTRUCTION "nopr 0"
#else
#define ONE_INSTRUCTION "nop"
#endif

#ifdef __cplusplus
extern "C" {
#endif
extern volatile int sink;
#ifdef __cplusplus
}
#endif

/* A label and an instruction that stay where they are. The number makes each inlined copy's label another one.
   Where a container cannot have that there is none, and the row is compared with LLVM only. */
#if defined(__wasm__)
#define PROBE(name) (sink = 0)
#elif defined(__MACH__) /* a label would be the start of a function there */
#define PROBE(name) __asm__ volatile(ONE_INSTRUCTION ::)
#else
#define PROBE(name) __asm__ volatile("probe_" name "_%=:\n\t" ONE_INSTRUCTION ::)
#endif
