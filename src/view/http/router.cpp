#include "view/http/router.hpp"

#include <algorithm>
#include <iterator>

namespace tessera::view {
namespace {

bool reads(const HttpRequest& request) {
  return request.method == "GET" || request.method == "HEAD";
}

bool fits(const Route& route, const Asked& asked) {
  const bool same =
      route.method == "GET" ? reads(asked.request) : route.method == asked.request.method;
  return same && std::ranges::equal(route.path, asked.target.path,
                                    [](std::string_view of_route, std::string_view part) {
                                      return of_route == "*" || of_route == part;
                                    });
}

/// Pages of other sites may not make a browser change anything here.
void check_origin(const HttpRequest& request) {
  const bool ours = request.origin.empty() || request.origin == "http://" + request.host;
  if (!reads(request) && !ours) throw HttpError(403, "another site asks");
}

}  // namespace

std::int64_t Asked::number(std::size_t part) const {
  return parse_number(target.path[part], "address", 0, INT64_MAX, 404);
}

void Router::add(std::vector<Route> routes) {
  std::ranges::move(routes, std::back_inserter(routes_));
}

HttpAnswer Router::answer(const Asked& asked,
                          const std::function<HttpAnswer(const Asked&)>& otherwise) const {
  const auto route =
      std::ranges::find_if(routes_, [&](const Route& one) { return fits(one, asked); });
  if (route != routes_.end()) {
    check_origin(asked.request);
    return route->answer(asked);
  }
  if (!reads(asked.request)) throw HttpError(405, "only GET is answered here");
  return otherwise(asked);
}

}  // namespace tessera::view
