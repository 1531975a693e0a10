// A library whose only function has a frame of SC_FRAME bytes: built with several sizes, they differ in nothing else.
#if defined(__x86_64__)
#define SC_TEXT_OF(x) #x
#define SC_TEXT(x) SC_TEXT_OF(x)
asm(R"(
  .text
  .globl sc_call_from_frame
  .type sc_call_from_frame, @function
sc_call_from_frame:
  .cfi_startproc
  subq $)" SC_TEXT(SC_FRAME) R"(, %rsp
  .cfi_adjust_cfa_offset )" SC_TEXT(SC_FRAME) R"(
  call *%rdi
  addq $)" SC_TEXT(SC_FRAME) R"(, %rsp
  .cfi_adjust_cfa_offset -)" SC_TEXT(SC_FRAME) R"(
  ret
  .cfi_endproc
  .size sc_call_from_frame, . - sc_call_from_frame
)");
#else
extern "C" void sc_call_from_frame(void (*call)()) {
  call();
  asm("");
}
#endif
