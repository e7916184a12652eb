// What a user's pages have in common from one day to the next: the token, and a port for each
// command, so that a link works tomorrow.
#pragma once

#include <string>

#include "job/serve_job.hpp"
#include "view/http/http_server.hpp"

namespace tessera::command {

/// In $XDG_STATE_HOME or ~/.local/state, readable by the user alone. Where nothing can be kept, the
/// token is another one each time, and so is the port.
class PageMemory {
 public:
  /// `page`: "serve", "explore" or "run".
  explicit PageMemory(std::string page);

  const std::string& token() const { return token_; }
  /// Listens where the job says; without a port, at the port of the last time if it is free. Throws
  /// as HttpServer::listen() does. Returns the port.
  int listen(view::HttpServer& server, const job::ServeJob& job, const std::string& what);

 private:
  void save() const noexcept;

  std::string page_;
  std::string path_;  ///< "" = nothing can be kept
  std::string token_;
  std::string others_;  ///< lines of other pages
  int port_ = 0;        ///< 0 = none yet
};

/// The token that a page needs: none with --no-token. That is refused, in a usage error, where
/// other machines would reach the page, and with --allow-render.
std::string token_of(const job::ServeJob& job, const PageMemory& memory);

}  // namespace tessera::command
