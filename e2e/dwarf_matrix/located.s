/* Lines of another file, given with .loc, as a compiler of another language would; the unit is spelled out by hand. */
  .file 1 "generated.lang"
  .text
  .globl located_root
  .type located_root, %function
located_root:  /* @function located located(_root)? */
  .loc 1 40 3
  nop
probe_located_0:
  .loc 1 41 7
  nop  /* @probe located @at generated.lang:41 */
  .loc 1 43 1
  nop
  .size located_root, . - located_root
.Lend:
  .section .debug_abbrev,"",%progbits
.Labbrevs:
  .byte 1, 0x11, 1      /* DW_TAG_compile_unit, has children */
  .byte 0x25, 8, 3, 8   /* DW_AT_producer, DW_AT_name: DW_FORM_string */
  .byte 0x10, 0x17      /* DW_AT_stmt_list: DW_FORM_sec_offset */
  .byte 0x11, 1, 0x12, 6  /* DW_AT_low_pc: DW_FORM_addr, DW_AT_high_pc: DW_FORM_data4 */
  .byte 0, 0
  .byte 2, 0x2e, 0      /* DW_TAG_subprogram */
  .byte 3, 8, 0x11, 1, 0x12, 6
  .byte 0, 0
  .byte 0
  .section .debug_info,"",%progbits
  .long .Linfo_end - .Linfo
.Linfo:
  .short 4
  .long .Labbrevs
  .byte 8
  .byte 1
  .asciz "by hand"
  .asciz "generated.lang"
  .long .Llines
  .quad located_root
  .long .Lend - located_root
  .byte 2
  .asciz "located"
  .quad located_root
  .long .Lend - located_root
  .byte 0
.Linfo_end:
  .section .debug_line,"",%progbits
.Llines:
  .section .note.GNU-stack,"",%progbits
