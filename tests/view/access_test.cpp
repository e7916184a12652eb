#include "view/http/access.hpp"

#include <gtest/gtest.h>

namespace tessera::view {
namespace {

int answer_of(const Access& access, const HttpRequest& request) {
  try {
    const auto answer = access.check(request, parse_target(request.target));
    return answer ? answer->status : 200;
  } catch (const HttpError& error) {
    return error.status();
  }
}

TEST(Access, loopback_addresses_are_of_this_machine_alone) {
  for (const char* const address : {"127.0.0.1", "127.1.2.3", "::1", "localhost"}) {
    EXPECT_TRUE(is_loopback(address)) << address;
  }
  for (const char* const address :
       {"0.0.0.0", "::", "10.0.0.1", "127.evil.example", "example.org", ""}) {
    EXPECT_FALSE(is_loopback(address)) << address;
  }
}

TEST(Access, a_name_of_another_machine_is_refused_on_loopback) {
  const Access access("");
  for (const char* const host : {"127.0.0.1:8080", "localhost", "[::1]:80"}) {
    EXPECT_EQ(answer_of(access, {.target = "/", .host = host}), 200) << host;
  }
  for (const char* const host : {"evil.example:8080", "", "[", "127.0.0.1.evil.example"}) {
    EXPECT_EQ(answer_of(access, {.target = "/", .host = host}), 403) << host;
  }
}

TEST(Access, pages_of_other_sites_may_link_to_a_page_only) {
  const Access access("");
  const auto asked_by = [&](const char* site, const char* target) {
    return answer_of(access, {.target = target, .host = "localhost", .fetch_site = site});
  };
  EXPECT_EQ(asked_by("cross-site", "/?image=0"), 200);
  EXPECT_EQ(asked_by("cross-site", "/run"), 200);
  EXPECT_EQ(asked_by("cross-site", "/explore/0/1/0/0.png"), 403);
  EXPECT_EQ(asked_by("cross-site", "/app.js"), 403);
  for (const char* const site : {"", "none", "same-origin", "same-site"}) {
    EXPECT_EQ(asked_by(site, "/explore/0/1/0/0.png"), 200) << site;
  }
}

TEST(Access, a_token_is_needed_and_becomes_a_cookie) {
  const Access access("0123456789abcdef");
  EXPECT_EQ(answer_of(access, {.target = "/"}), 401);
  EXPECT_EQ(answer_of(access, {.target = "/?token=0123456789abcdee"}), 401);
  EXPECT_EQ(answer_of(access, {.target = "/?token="}), 401);
  const HttpRequest first{.target = "/?token=0123456789abcdef"};
  const auto redirect = access.check(first, parse_target(first.target));
  ASSERT_TRUE(redirect);
  EXPECT_EQ(redirect->status, 303);
  const std::string cookie = redirect->headers.at(1).second;
  EXPECT_NE(cookie.find("HttpOnly; SameSite=Strict"), cookie.npos);
  const std::string pair = cookie.substr(0, cookie.find(';'));
  EXPECT_EQ(answer_of(access, {.target = "/", .cookie = "a=b; " + pair + "; c=d"}), 200);
  EXPECT_EQ(answer_of(access, {.target = "/", .cookie = pair + "0"}), 401);
  EXPECT_EQ(answer_of(access, {.target = "/", .authorization = "Bearer 0123456789abcdef"}), 200);
  EXPECT_EQ(answer_of(access, {.target = "/", .authorization = "Bearer 0"}), 401);
}

TEST(Access, the_token_leads_to_the_page_that_was_asked_for) {
  const Access access("0123456789abcdef");
  const auto led_to = [&](const std::string& path) {
    const auto answer = access.check({}, parse_target(path + "?token=0123456789abcdef"));
    return answer ? answer->headers.at(0).second : "";
  };
  EXPECT_EQ(led_to("/run"), "/run");
  EXPECT_EQ(led_to("/"), "/");
  EXPECT_EQ(led_to("/evil.example"), "/");
  EXPECT_EQ(led_to("/%2f%2fevil.example"), "/");
}

TEST(Access, a_program_may_give_the_token_with_each_request) {
  const Access access("0123456789abcdef");
  for (const char* const path : {"/api/images", "/tiles/0/0/0/0.png"}) {
    const std::string target = std::string(path) + "?token=0123456789abcde";
    EXPECT_EQ(answer_of(access, {.target = target + "f"}), 200) << path;
    EXPECT_EQ(answer_of(access, {.target = target + "e"}), 401) << path;
  }
  EXPECT_EQ(answer_of(access,
                      {.target = "/api/images?token=0123456789abcdef", .fetch_site = "cross-site"}),
            403);
}

TEST(Access, tokens_differ) {
  EXPECT_EQ(random_token().size(), 32U);
  EXPECT_NE(random_token(), random_token());
}

}  // namespace
}  // namespace tessera::view
