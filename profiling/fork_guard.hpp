#pragma once
namespace symcached::pprof {

/// Sockets that a child of fork() must not keep: it would take clients' connections and never answer them.
/// @return false if there are too many, or no memory
bool close_in_children(int socket);
/// Before the socket is closed.
void keep_in_children(int socket);

}  // namespace symcached::pprof
