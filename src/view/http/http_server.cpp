#include "view/http/http_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <thread>
#include <utility>

#include "base/run.hpp"
#include "base/text.hpp"
#include "codec/gzip.hpp"
#include "view/http/assets.hpp"
#include "view/http/client_watch.hpp"
#include "view/http/listener.hpp"

namespace tessera::view {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;

using Parser = http::request_parser<http::empty_body>;
using Head = http::request_header<>;

constexpr std::size_t kPieceBytes = 256 * 1024;
constexpr std::string_view kTooMany =
    "HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nContent-Length: 33\r\n"
    "Connection: close\r\n\r\n{\"error\":\"too many connections\"}\n";

/// A connection as the library reads it (Asio's SyncReadStream).
class ConnectionStream {
 public:
  explicit ConnectionStream(Connection& connection) : connection_(connection) {}

  template <typename Buffers>
  std::size_t read_some(const Buffers& buffers, beast::error_code& error) {
    const boost::asio::mutable_buffer to = *boost::asio::buffer_sequence_begin(buffers);
    const ssize_t bytes = connection_.read(static_cast<char*>(to.data()), to.size());
    error = bytes > 0 ? beast::error_code() : boost::asio::error::eof;
    return static_cast<std::size_t>(std::max<ssize_t>(bytes, 0));
  }
  template <typename Buffers>
  std::size_t read_some(const Buffers& buffers) {
    beast::error_code error;
    const std::size_t bytes = read_some(buffers, error);
    if (error) throw beast::system_error(error);
    return bytes;
  }

 private:
  Connection& connection_;
};

std::string text_of(beast::string_view view) {
  return {view.data(), view.size()};
}

HttpRequest request_of(const Head& head) {
  const auto header = [&](http::field name) { return text_of(head[name]); };
  return {.method = text_of(head.method_string()),
          .target = text_of(head.target()),
          .host = header(http::field::host),
          .cookie = header(http::field::cookie),
          .authorization = header(http::field::authorization),
          .if_none_match = header(http::field::if_none_match),
          .origin = header(http::field::origin),
          .fetch_site = text_of(head["Sec-Fetch-Site"])};
}

/// The last answer of a connection.
std::string last_answer(std::string_view status, std::string_view why) {
  const std::string body = fmt::format("{{\"error\":\"{}\"}}\n", why);
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n"
      "Connection: close\r\n\r\n{}",
      status, body.size(), body);
}

std::string answer_to(const beast::error_code& error) {
  if (error != http::error::header_limit) {
    return last_answer("400 Bad Request", "this is no request of HTTP");
  }
  return last_answer("431 Request Header Fields Too Large",
                     "the head of the request has more than 8 KiB: browsers send the cookies of "
                     "all ports of a machine; delete those of this one");
}

/// Whether one of the items of a header such as "br;q=1, gzip;q=0" has the name, with a weight
/// above 0; nothing if none has it (RFC 9110, 12.5.3).
std::optional<bool> is_taken(std::string_view header, std::string_view name) {
  for (const std::string& item : base::split(header, ',')) {
    const std::size_t end = std::min(item.find(';'), item.size());
    const std::string_view other = base::trim(std::string_view(item).substr(0, end));
    if (beast::iequals({other.data(), other.size()}, {name.data(), name.size()})) {
      const std::size_t weight = item.find("q=", end);
      return weight == std::string::npos ||
             item.find_first_of("123456789", weight) != std::string::npos;
    }
  }
  return std::nullopt;
}

bool takes_gzip(const Head& head) {
  const std::string header = text_of(head[http::field::accept_encoding]);
  return is_taken(header, "gzip").value_or(is_taken(header, "*").value_or(false));
}

/// Text shrinks; pictures are compressed already.
bool shrinks(const std::string& type) {
  return type.starts_with("text/") || type.starts_with("image/svg") ||
         type.starts_with("application/json");
}

/// A body is not read, so nothing may follow it.
bool has_body(const Head& head) {
  return head.count(http::field::content_length) + head.count(http::field::transfer_encoding) > 0;
}

/// Answers requests of one connection, one after the other.
class Conversation {
 public:
  Conversation(Connection& connection, const HttpHandler& handler, ClientWatch& watch)
      : connection_(connection), handler_(handler), watch_(watch) {}

  /// Waits for a request and answers it. False if the connection ends; it does if `close`.
  bool answer_next(const std::function<bool()>& close) {
    if (received_.size() > 0) {
      connection_.begin_request();
    } else if (!connection_.wait_for_request()) {
      return false;
    }
    Parser parser;
    ConnectionStream stream(connection_);
    beast::error_code error;
    http::read_header(stream, received_, parser, error);
    if (error) {
      // Nobody knows where the next request begins behind one that is not understood.
      const bool ended =
          error == http::error::end_of_stream || error == http::error::partial_message;
      if (!ended) connection_.end_with(answer_to(error));
      return false;
    }
    const Head& head = parser.get().base();
    const bool stays = parser.get().keep_alive() && !has_body(head) && !close();
    return send(head, answer_of(head), stays) && connection_.flush() && stays;
  }

 private:
  HttpAnswer answer_of(const Head& head) {
    base::StopToken gone;
    const ClientWatch::Watched watched(watch_, connection_.socket(), gone);
    HttpRequest request = request_of(head);
    request.gone = &gone;
    return handler_(request);
  }

  bool send(const Head& head, HttpAnswer answer, bool stays) {
    http::response<http::empty_body> response(
        http::int_to_status(static_cast<unsigned>(answer.status)), head.version());
    for (const auto& [name, value] : answer.headers) response.insert(name, value);
    if (!answer.type.empty()) response.set(http::field::content_type, answer.type);
    if (!answer.body.empty() && shrinks(answer.type)) {
      response.set(http::field::vary, "Accept-Encoding");
      if (takes_gzip(head)) {
        answer.body = codec::gzip(answer.body);
        response.set(http::field::content_encoding, "gzip");
      }
    }
    response.keep_alive(stays);
    if (answer.status != 304) {
      response.content_length(answer.long_body ? answer.long_body->bytes : answer.body.size());
    }
    std::ostringstream text;
    text << response.base();
    if (!write(text.str())) return false;
    if (head.method() == http::verb::head) return true;
    return answer.long_body ? write_long(*answer.long_body) : write(answer.body);
  }

  bool write_long(const LongBody& body) {
    for (std::uint64_t offset = 0; offset < body.bytes;) {
      const auto most = std::min<std::uint64_t>(body.bytes - offset, kPieceBytes);
      const std::string piece = body.read(offset, static_cast<std::size_t>(most));
      if (piece.empty() || !write(piece)) return false;
      offset += piece.size();
    }
    return true;
  }

  bool write(std::string_view bytes) { return connection_.write(bytes.data(), bytes.size()) >= 0; }

  Connection& connection_;
  const HttpHandler& handler_;
  ClientWatch& watch_;
  beast::flat_buffer received_;  ///< bytes behind the last request
};

}  // namespace

/// The open connections, each with a thread.
class HttpServer::State {
 public:
  State(HttpHandler answer_with, int max_connections, const ConnectionLimits& with)
      : handler_(std::move(answer_with)),
        limits_(with),
        most_(static_cast<std::size_t>(max_connections)) {}

  void accept_all() {
    for (int socket = listener->accept(); socket >= 0; socket = listener->accept()) begin(socket);
  }

  void end_all() {
    std::unique_lock lock(mutex_);
    closed_ = true;
    for (const Connection* const connection : open_) connection->hang_up();
    ended_.wait(lock, [&] { return threads_ == 0; });
  }

  std::optional<Listener> listener;
  std::thread acceptor;

 private:
  void begin(int socket) {
    auto connection = std::make_unique<Connection>(socket, limits_);
    std::unique_lock lock(mutex_);
    ++threads_;
    lock.unlock();
    try {
      base::run_thread([this, connection = std::move(connection)] {
        serve(*connection);
        end_thread();
      }).detach();
    } catch (const std::system_error&) {
      end_thread();
    }
  }

  void serve(Connection& connection) {
    if (!take(connection)) return connection.refuse(kTooMany);
    Conversation conversation(connection, handler_, watch_);
    while (conversation.answer_next([this] { return is_crowded(); })) {
    }
    const std::scoped_lock lock(mutex_);
    open_.erase(&connection);
  }

  bool take(const Connection& connection) {
    const std::scoped_lock lock(mutex_);
    return !closed_ && open_.size() < most_ && open_.insert(&connection).second;
  }

  /// True if connections should not stay open without a request.
  bool is_crowded() {
    const std::scoped_lock lock(mutex_);
    return closed_ || open_.size() > most_ / 2;
  }

  void end_thread() {
    const std::scoped_lock lock(mutex_);
    --threads_;
    ended_.notify_all();
  }

  HttpHandler handler_;
  ClientWatch watch_;
  ConnectionLimits limits_;
  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable ended_;
  int threads_ = 0;
  bool closed_ = false;
  std::set<const Connection*> open_;
};

HttpServer::HttpServer(HttpHandler handler, int max_connections, const ConnectionLimits& limits)
    : state_(std::make_unique<State>(std::move(handler), max_connections, limits)) {}

HttpServer::~HttpServer() {
  stop();
}

int HttpServer::listen(const std::string& address, int port, const std::string& what) {
  check_pages(what);
  state_->listener.emplace(address, port, what);
  state_->acceptor = base::run_thread([state = state_.get()] { state->accept_all(); });
  return state_->listener->port();
}

void HttpServer::stop() {
  if (!state_->acceptor.joinable()) return;
  state_->listener->stop();
  state_->acceptor.join();
  state_->end_all();
}

}  // namespace tessera::view
