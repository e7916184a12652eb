// The web server: accepts connections and answers their requests with a handler.
#pragma once

#include <memory>
#include <string>

#include "view/http/connection.hpp"
#include "view/http/http.hpp"

namespace tessera::view {

class HttpServer {
 public:
  /// `max_connections` are served at a time, each by a thread of its own; further ones are
  /// refused.
  HttpServer(HttpHandler handler, int max_connections, const ConnectionLimits& limits = {});
  /// As stop().
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Listens from now on; `port` 0 takes a free one. Returns the port. Throws a usage error that
  /// starts with `what` if that is not possible, and a missing error in a build without the pages.
  int listen(const std::string& address, int port, const std::string& what);
  /// Ends all connections and returns when their threads have ended.
  void stop();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::view
