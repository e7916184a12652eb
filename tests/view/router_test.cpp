#include "view/http/router.hpp"

#include <gtest/gtest.h>

namespace tessera::view {
namespace {

HttpAnswer text(std::string body) {
  return {.body = std::move(body)};
}

/// What a router with some routes answers, or the status of its error.
std::string answer(const std::string& method, const std::string& target,
                   const std::string& origin = "") {
  Router router;
  router.add(
      {{"POST", {"api", "places"}, [](const Asked&) { return text("made"); }},
       {"GET", {"api", "*"}, [](const Asked& asked) { return text(asked.target.path[1]); }}});
  router.add({{"GET", {"api", "late"}, [](const Asked&) { return text("never"); }}});
  const HttpRequest request{.method = method, .target = target, .host = "here:1", .origin = origin};
  try {
    return router.answer({request, parse_target(target)}, [](const Asked&) { return text("else"); })
        .body;
  } catch (const HttpError& error) {
    return std::to_string(error.status());
  }
}

TEST(Router, the_first_route_that_fits_answers) {
  EXPECT_EQ(answer("GET", "/api/late"), "late");
  EXPECT_EQ(answer("HEAD", "/api/7"), "7");
  EXPECT_EQ(answer("POST", "/api/places"), "made");
  EXPECT_EQ(answer("GET", "/api/places"), "places");
}

TEST(Router, reads_of_other_addresses_are_answered_otherwise) {
  EXPECT_EQ(answer("GET", "/api"), "else");
  EXPECT_EQ(answer("GET", "/api/a/b"), "else");
  EXPECT_EQ(answer("POST", "/api/a"), "405");
}

TEST(Router, another_site_changes_nothing) {
  EXPECT_EQ(answer("POST", "/api/places", "http://there:1"), "403");
  EXPECT_EQ(answer("POST", "/api/places", "http://here:1"), "made");
  EXPECT_EQ(answer("GET", "/api/7", "http://there:1"), "7");
}

TEST(Router, a_number_of_an_address_is_checked) {
  const HttpRequest request{.method = "GET"};
  const Asked asked{request, parse_target("/tiles/12/x")};
  EXPECT_EQ(asked.number(1), 12);
  EXPECT_THROW(asked.number(2), HttpError);
}

}  // namespace
}  // namespace tessera::view
