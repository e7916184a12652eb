#include "view/http/target.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "job/image/coloring.hpp"
#include "tests/store/image/chance.hpp"
#include "view/look.hpp"

namespace tessera::view {
namespace {

int status_of_call(const std::function<void()>& call) {
  try {
    call();
  } catch (const HttpError& error) {
    return error.status();
  }
  return 200;
}

int status_of(const std::string& text) {
  return status_of_call([&] { parse_target(text); });
}

TEST(Target, has_a_path_and_parameters) {
  const Target target = parse_target("/tiles/0/1.png?palette=ember&offset=0.5&name=a%20b+c&empty=");
  EXPECT_EQ(target.path, (std::vector<std::string>{"tiles", "0", "1.png"}));
  EXPECT_EQ(target.parameter("palette"), "ember");
  EXPECT_EQ(target.parameter("name"), "a b c");
  EXPECT_EQ(target.parameter("empty"), "");
  EXPECT_EQ(target.parameter("other"), "");
  EXPECT_TRUE(parse_target("/").path.empty());
  EXPECT_EQ(parse_target("/a+b").path[0], "a+b");
}

TEST(Target, refuses_what_is_no_address) {
  for (const std::string text :
       {"", "x", "?a=1", "/%", "/%4", "/%zz", "/a%00b", "/?a=%0a", "/?a=1&a=2"}) {
    EXPECT_EQ(status_of(text), 400) << text;
  }
}

TEST(Target, has_a_bounded_number_of_parts) {
  std::string parts;
  for (int i = 0; i < 64; ++i) parts += "/a";
  EXPECT_EQ(status_of(parts), 200);
  EXPECT_EQ(status_of(parts + "/a"), 400);
}

TEST(Target, numbers_are_plain_digits_within_bounds) {
  EXPECT_EQ(parse_number("17", "x", 0, 17), 17);
  for (const char* const text :
       {"", "18", "-1", "+1", " 1", "1 ", "1e1", "0x1", "99999999999999999999"}) {
    EXPECT_EQ(status_of_call([&] { parse_number(text, "x", 0, 17, 404); }), 404) << text;
  }
}

TEST(Look, has_the_values_of_the_options_of_color) {
  const job::ColorJob look = look_of(
      parse_target("/?palette=ember&offset=0.25&length=1.5&field=smooth&inside=102030"), {});
  EXPECT_EQ(look.palette, "ember");
  EXPECT_EQ(look.palette_offset, 0.25);
  EXPECT_EQ(look.palette_cycle, 1.5);
  EXPECT_EQ(look.field, "smooth");
  EXPECT_EQ(look.inside, "#102030");
  EXPECT_EQ(job::scale_text(look_of(parse_target("/?transfer=sqrt:2.5"), {})), "sqrt:2.5");
}

TEST(Look, takes_no_palette_from_a_file) {
  for (const char* const text :
       {"/?palette=/etc/passwd", "/?palette=..%2fa", "/?palette=a.pal", "/?offset=2",
        "/?transfer=sqrt", "/?transfer=linear:-1", "/?offset=nan", "/?length=0", "/?length=1e9",
        "/?field=other", "/?inside=12345", "/?inside=/etc/passwd"}) {
    EXPECT_EQ(status_of_call([&] { look_of(parse_target(text), {}); }), 400) << text;
  }
}

TEST(Look, takes_palettes_that_the_command_line_named) {
  const PaletteFiles files = {{"own.map", "colours/own.map"}};
  EXPECT_EQ(look_of(parse_target("/?palette=own.map"), files).palette, "colours/own.map");
  EXPECT_EQ(look_of(parse_target("/?palette=ember"), files).palette, "ember");
  for (const char* const text :
       {"/?palette=colours/own.map", "/?palette=own", "/?palette=OWN.map"}) {
    EXPECT_EQ(status_of_call([&] { look_of(parse_target(text), files); }), 400) << text;
  }
}

/// Any bytes are a request or one line of an error.
TEST(Target, survives_any_text) {
  auto random = store::chance(91);
  const std::vector<std::string> words = {
      "/",     "?",       "&",     "=",        "%2f",      "%",      "..",     "tiles", "0",
      "-1",    "palette", "ember", "offset",   "length",   "inside", "ffffff", "field", "smooth",
      "1e308", "+",       "%00",   "distance", "equalize", "true",   "version"};
  for (int i = 0; i < 20000 * store::times(); ++i) {
    std::string text = random() % 8 == 0 ? "" : "/";
    for (auto length = random() % 24; length > 0; --length) text += words[random() % words.size()];
    if (random() % 4 == 0 && !text.empty()) {
      text[random() % text.size()] = static_cast<char>(random());
    }
    const int status = status_of_call([&] { look_of(parse_target(text), {}); });
    EXPECT_TRUE(status == 200 || status == 400) << text;
  }
}

}  // namespace
}  // namespace tessera::view
