/* server ADDRESS: the same in C. */
#include <stdio.h>
#include <symcached/pprof.h>

int main(int count, char** arguments) {
  char error[256];
  symcached_pprof_options options = {0};
  options.struct_size = sizeof options;
  options.address = count > 1 ? arguments[1] : "127.0.0.1:0";
  symcached_pprof_server* server = symcached_pprof_start(&options, error, sizeof error);
  if (server == NULL) fprintf(stderr, "no profiles: %s\n", error);
  printf("%d\n", server != NULL ? symcached_pprof_port(server) : 0);
  fflush(stdout);
  while (getchar() != EOF) { /* what the program is for */
  }
  symcached_pprof_stop(server);
  return 0;
}
