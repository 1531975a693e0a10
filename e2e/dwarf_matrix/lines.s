/* Lines of assembly, told by the assembler itself: the name of the function is in the symbol table alone. */
  .text
  .globl asm_root
  .type asm_root, %function
asm_root:  /* @function asm_root asm_root */
  nop
probe_asm_0:
  nop  /* @probe asm */
  nop
  .size asm_root, . - asm_root
  .section .note.GNU-stack,"",%progbits
