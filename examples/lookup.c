/* lookup FILE ADDRESS...: prints functions, files and lines, innermost frame first. */
#include <stdio.h>
#include <stdlib.h>
#include <symcached/symcached.h>

static void print(symcached_text text) { printf("%.*s", text.size ? (int)text.size : 2, text.size ? text.data : "??"); }

int main(int count, char** arguments) {
  char error[512] = "usage: lookup FILE ADDRESS...";
  symcached_module* module = count > 1 ? symcached_open(arguments[1], NULL, error, sizeof(error)) : NULL;
  if (!module) return fprintf(stderr, "%s\n", error), 1;
  symcached_answer* answer = symcached_answer_new(); /* reused for all addresses */
  for (int i = 2; i < count; ++i) {
    int frames = symcached_lookup(module, strtoull(arguments[i], NULL, 16), 0, answer);
    if (frames <= 0) printf("??\n??:0:0\n");
    for (int at = 0; at < frames; ++at) {
      const symcached_frame* frame = &symcached_frames(answer)[at];
      print(frame->function);
      printf("\n");
      print(frame->file);
      printf(":%u:%u\n", frame->line, frame->column);
    }
    printf("\n");
  }
  symcached_answer_free(answer);
  symcached_close(module);
  return 0;
}
