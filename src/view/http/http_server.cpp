#include "view/http/http_server.hpp"

#include <httplib.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "base/error.hpp"

namespace tessera::view {
namespace {

constexpr int kBacklog = 1024;
constexpr std::size_t kPieceBytes = 256 * 1024;
constexpr std::string_view kTooMany =
    "HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nContent-Length: 33\r\n"
    "Connection: close\r\n\r\n{\"error\":\"too many connections\"}\n";

/// A connection as the library sees it.
class LibraryStream : public httplib::Stream {
 public:
  explicit LibraryStream(Connection& connection) : connection_(connection) {}

  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, size_t bytes) override { return connection_.read(to, bytes); }
  ssize_t write(const char* from, size_t bytes) override { return connection_.write(from, bytes); }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  /// The library refuses sockets that select() cannot take; Connection uses poll().
  socket_t socket() const override { return -1; }

 private:
  Connection& connection_;
};

/// The open connections and their threads.
class Connections : public httplib::TaskQueue {
 public:
  using Added = decltype(std::declval<httplib::TaskQueue&>().enqueue({}));  // void, later bool

  explicit Connections(std::size_t most) : most_(most) {}

  Added enqueue(std::function<void()> serve) override {
    std::unique_lock lock(mutex_);
    ++threads_;
    lock.unlock();
    try {
      std::thread([this, serve = std::move(serve)] {
        serve();
        end_thread();
      }).detach();
    } catch (const std::system_error&) {
      end_thread();
    }
    return static_cast<Added>(true);
  }

  void shutdown() override {
    std::unique_lock lock(mutex_);
    closed_ = true;
    for (const Connection* const connection : open_) connection->hang_up();
    ended_.wait(lock, [&] { return threads_ == 0; });
  }

  bool open(const Connection& connection) {
    const std::scoped_lock lock(mutex_);
    return !closed_ && open_.size() < most_ && open_.insert(&connection).second;
  }
  void close(const Connection& connection) {
    const std::scoped_lock lock(mutex_);
    open_.erase(&connection);
  }
  /// True if connections should not stay open without a request.
  bool crowded() const {
    const std::scoped_lock lock(mutex_);
    return closed_ || open_.size() > most_ / 2;
  }

 private:
  void end_thread() {
    const std::scoped_lock lock(mutex_);
    --threads_;
    ended_.notify_all();
  }

  std::size_t most_;
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  int threads_ = 0;
  bool closed_ = false;
  std::set<const Connection*> open_;
};

HttpRequest request_of(const httplib::Request& request) {
  const auto header = [&](const char* name) { return request.get_header_value(name); };
  return {.method = request.method,
          .target = request.target,
          .host = header("Host"),
          .cookie = header("Cookie"),
          .authorization = header("Authorization"),
          .if_none_match = header("If-None-Match"),
          .origin = header("Origin"),
          .fetch_site = header("Sec-Fetch-Site")};
}

void send_long(const std::shared_ptr<const LongBody>& body, const std::string& type,
               httplib::Response& response) {
  response.set_content_provider(
      body->bytes, type, [body](std::size_t offset, std::size_t bytes, httplib::DataSink& sink) {
        const std::string piece = body->read(offset, std::min(bytes, kPieceBytes));
        return !piece.empty() && sink.write(piece.data(), piece.size());
      });
}

/// The library carries requests; limits, threads and answers are those of this room.
class LibraryServer : public httplib::Server {
 public:
  LibraryServer(HttpHandler handler, int most_connections, const ConnectionLimits& limits)
      : handler_(std::move(handler)), limits_(limits) {
    // The library deletes it at the end of listen_after_bind().
    new_task_queue = [this, most_connections] {
      return connections_ = new Connections(static_cast<std::size_t>(most_connections));
    };
    set_tcp_nodelay(true);
    set_keep_alive_timeout(std::chrono::ceil<std::chrono::seconds>(limits.idle).count());
    set_socket_options([](socket_t socket) {
      const int on = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    });
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      answer(request, response);
      return HandlerResponse::Handled;
    });
  }

  /// As many clients may connect at once as want to; the library would take five.
  void lengthen_queue() const { ::listen(svr_sock_, kBacklog); }

 private:
  bool process_and_close_socket(socket_t socket) override {
    Connection connection(socket, limits_);
    if (!connections_->open(connection)) {
      connection.refuse(kTooMany);
      return false;
    }
    LibraryStream stream(connection);
    bool last = false;
    while (!last && connection.wait_for_request()) {
      const bool close = connections_->crowded();
      bool understood = false;
      const bool answered = process_request(stream, close, last, [&](httplib::Request& request) {
        understood = true;
        limit_request(request);
      });
      // Nobody knows where the next request begins behind one that was not understood.
      last = !connection.flush() || !answered || !understood || last || close;
    }
    connections_->close(connection);
    return true;
  }

  /// Ranges of an answer and slow compressions are not offered.
  static void limit_request(httplib::Request& request) {
    request.ranges.clear();
    const bool gzip = request.get_header_value("Accept-Encoding").find("gzip") != std::string::npos;
    request.headers.erase("Accept-Encoding");
    if (gzip) request.set_header("Accept-Encoding", "gzip");
    // A body is not read, so nothing may follow it.
    const bool has_body =
        request.has_header("Content-Length") || request.has_header("Transfer-Encoding");
    if (has_body) {
      request.headers.erase("Connection");
      request.set_header("Connection", "close");
    }
  }

  void answer(const httplib::Request& request, httplib::Response& response) const {
    HttpAnswer answer = handler_(request_of(request));
    response.status = answer.status;
    for (const auto& [name, value] : answer.headers) response.set_header(name, value);
    if (answer.long_body) return send_long(answer.long_body, answer.type, response);
    response.body = std::move(answer.body);
    if (!answer.type.empty()) response.set_header("Content-Type", answer.type);
  }

  HttpHandler handler_;
  ConnectionLimits limits_;
  Connections* connections_ = nullptr;
};

}  // namespace

struct HttpServer::State {
  State(HttpHandler handler, int most_connections, const ConnectionLimits& limits)
      : server(std::move(handler), most_connections, limits) {}
  LibraryServer server;
  std::atomic<bool> ended = false;
  std::thread acceptor;
};

HttpServer::HttpServer(HttpHandler handler, int most_connections, const ConnectionLimits& limits)
    : state_(std::make_unique<State>(std::move(handler), most_connections, limits)) {}

HttpServer::~HttpServer() {
  stop();
}

int HttpServer::listen(const std::string& address, int port, const std::string& what) {
  LibraryServer& server = state_->server;
  const int taken = port == 0                            ? server.bind_to_any_port(address)
                    : server.bind_to_port(address, port) ? port
                                                         : -1;
  if (taken < 0) {
    throw base::usage_error("{}: cannot listen at {} port {}: {}", what, address, port,
                            "the port is taken, or the address is not of this machine");
  }
  server.lengthen_queue();
  state_->acceptor = std::thread([state = state_.get()] {
    state->server.listen_after_bind();
    state->ended = true;
  });
  return taken;
}

void HttpServer::stop() {
  if (!state_->acceptor.joinable()) return;
  // The library forgets a stop() that comes before its thread listens.
  while (!state_->server.is_running() && !state_->ended) std::this_thread::yield();
  state_->server.stop();
  state_->acceptor.join();
}

}  // namespace tessera::view
