#include "profiling/server.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <list>
#include <system_error>
#include <thread>
#include <vector>

#include "profiling/fork_guard.hpp"
#include "profiling/listen_address.hpp"
#include "profiling/quiet_thread.hpp"

namespace symcached::pprof {
namespace {

constexpr int kLookMs = 100;   ///< how late it may be seen that a client is gone
constexpr int kIdleMs = 1000;  ///< until it is seen that the program closed our socket
constexpr int kPauseMs = 100;  ///< when no more descriptors are to be had
constexpr std::string_view kTooMany =
    "HTTP/1.0 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nX-Go-Pprof: 1\r\n"
    "Retry-After: 5\r\n\r\n%warn too many clients at once; retry later\n";  // its end is that of the connection

}  // namespace

class HttpServer::Running {
 public:
  Running(Listening listening, std::shared_ptr<const Handlers> handlers, const ServerOptions& options)
      : listening_(std::move(listening)), handlers_(std::move(handlers)), options_(options) {
    thread_ = quiet_thread("pprof-accept", [this] { run(); });
  }

  ~Running() {
    stopping_ = true;
    const bool is_ours = listening_.is_open();
    if (is_ours) ::shutdown(listening_.socket.get(), SHUT_RDWR);  // wakes the thread up
    thread_.join();
    keep_in_children(listening_.socket.get());
    if (!is_ours) listening_.socket.release();
  }

  bool is_of_this_process() const { return process_ == ::getpid(); }
  const ListenAddress& address() const { return listening_.address; }

 private:
  struct Client {
    template <class... Arguments>
    explicit Client(Arguments&&... arguments) : connection(std::forward<Arguments>(arguments)...) {}
    Connection connection;
    std::thread thread;
  };

  void run() noexcept {
    while (!stopping_ && listening_.is_open()) {
      try {
        round();
      } catch (...) {  // no memory for now: clients wait
        ::poll(nullptr, 0, kPauseMs);
      }
    }
    for (Client& client : clients_) client.connection.stop();
    for (Client& client : clients_) client.thread.join();
  }

  /// Waits for a client that comes; while there are any, also for those that go.
  void round() {
    std::vector<pollfd> watched{{listening_.socket.get(), POLLIN, 0}};
    std::vector<Client*> waiting;
    for (Client& client : clients_) {
      if (!client.connection.is_waiting()) continue;
      waiting.push_back(&client);
      watched.push_back({client.connection.socket(), POLLRDHUP, 0});
    }
    if (::poll(watched.data(), watched.size(), clients_.empty() ? kIdleMs : kLookMs) < 0) return;
    for (std::size_t i = 0; i < waiting.size(); ++i)
      if (watched[i + 1].revents != 0) waiting[i]->connection.stop();
    std::erase_if(clients_, [](Client& client) {
      if (!client.connection.has_ended()) return false;
      client.thread.join();
      return true;
    });
    if (watched[0].revents != 0 && !stopping_) accept();
  }

  void accept() {
    Descriptor socket(::accept4(listening_.socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) ::poll(nullptr, 0, kPauseMs);
      return;
    }
    if (clients_.size() >= options_.max_connections) {
      ::send(socket.get(), kTooMany.data(), kTooMany.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      ::shutdown(socket.get(), SHUT_WR);
      return;
    }
    Client& client = clients_.emplace_back(std::move(socket), handlers_, options_.limits);
    try {
      client.thread = quiet_thread("pprof-serve", [&client] { client.connection.serve(); });
    } catch (...) {
      clients_.pop_back();
      throw;
    }
  }

  Listening listening_;
  const std::shared_ptr<const Handlers> handlers_;
  const ServerOptions options_;
  const pid_t process_ = ::getpid();
  std::atomic<bool> stopping_ = false;
  std::list<Client> clients_;  ///< of the thread that accepts alone
  std::thread thread_;
};

std::expected<std::unique_ptr<HttpServer>, std::string> HttpServer::start(const ServerOptions& options,
                                                                          Sources sources) {
  const auto address = parse_listen_address(options.address);
  if (!address) return std::unexpected(address.error());
  if (!address->is_loopback && options.token.empty() && !options.allow_remote)
    return std::unexpected(
        fmt::format("{} can be reached from other machines: give it a token, or allow_remote", options.address));
  auto listening = listen_at(*address);
  if (!listening) return std::unexpected(listening.error());
  ServerOptions all = options;
  all.limits.only_local_names = address->is_loopback && options.token.empty();
  const int socket = listening->socket.get();
  if (!close_in_children(socket)) return std::unexpected("too many servers in this process");
  try {
    auto handlers = std::make_shared<const Handlers>(std::move(sources), options.token);
    auto running = std::make_unique<Running>(*std::move(listening), std::move(handlers), all);
    return std::unique_ptr<HttpServer>(new HttpServer(std::move(running)));
  } catch (const std::system_error& error) {
    keep_in_children(socket);
    return std::unexpected(fmt::format("no thread for the server: {}", error.what()));
  }
}

HttpServer::HttpServer(std::unique_ptr<Running> running) : running_(std::move(running)) {}

HttpServer::~HttpServer() {
  if (!running_->is_of_this_process()) static_cast<void>(running_.release());  // its threads are not here to be ended
}

std::uint16_t HttpServer::port() const { return running_->address().port(); }
std::string HttpServer::url() const { return "http://" + running_->address().text(); }

}  // namespace symcached::pprof
