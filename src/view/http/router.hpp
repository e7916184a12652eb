// The addresses of a server: a table of paths, each with what answers it.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "view/http/http.hpp"
#include "view/http/target.hpp"

namespace tessera::view {

/// A request whose target was understood.
struct Asked {
  const HttpRequest& request;
  Target target;

  /// A part of the path that is a number. Throws HttpError 404 if it is none.
  std::int64_t number(std::size_t part) const;
};

/// "*" stands for any part of the path. "GET" is "HEAD", too. `answer` may throw.
struct Route {
  std::string_view method;
  std::vector<std::string_view> path;
  std::function<HttpAnswer(const Asked&)> answer;
};

class Router {
 public:
  void add(std::vector<Route> routes);
  /// The answer of the first route that fits; `otherwise` answers reads of other addresses. Throws
  /// HttpError 405 for other methods, and 403 if the page of another site wants to change
  /// something.
  HttpAnswer answer(const Asked& asked,
                    const std::function<HttpAnswer(const Asked&)>& otherwise) const;

 private:
  std::vector<Route> routes_;
};

}  // namespace tessera::view
