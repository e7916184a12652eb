// Requests and answers of the web server, without the library that carries them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/stop_token.hpp"

namespace tessera::view {

struct HttpRequest {
  std::string method;  ///< "GET" or "HEAD"
  std::string target;  ///< the path and the query, as they were sent
  std::string host, cookie, authorization, if_none_match, origin;  ///< headers; "" = none
  std::string fetch_site;  ///< Sec-Fetch-Site: the site of the page that sends the request
  /// Requested once nobody waits for the answer; null = nobody looks.
  base::StopToken* gone = nullptr;
};

/// The body of an answer that is too long for memory.
struct LongBody {
  std::uint64_t bytes = 0;
  /// Returns up to `most` bytes from `offset` on; "" if they cannot be read.
  std::function<std::string(std::uint64_t offset, std::size_t most)> read;
};

struct HttpAnswer {
  int status = 200;
  std::string type;  ///< type of the body
  std::string body;
  std::shared_ptr<const LongBody> long_body;  ///< instead of `body`
  std::vector<std::pair<std::string, std::string>> headers;
};

/// Any thread may call it. Must not throw.
using HttpHandler = std::function<HttpAnswer(const HttpRequest&)>;

}  // namespace tessera::view
