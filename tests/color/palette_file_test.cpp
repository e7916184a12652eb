#include "color/palette_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.hpp"

namespace tessera::color {
namespace {

Palette parsed(const std::string& text) {
  std::istringstream stream(text);
  return parse_palette(stream, "some.map");
}

std::string usage_message(const std::string& text) {
  try {
    parsed(text);
    return "no error";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::usage);
    return error.what();
  }
}

TEST(PaletteFile, ReadsNumbersHexCommentsAndInside) {
  const Palette palette = parsed(
      "; made by hand\n# and a second remark\n#\n\n  1 2 3\n4\t5\t6  a name\r\n#A0b1C2\n"
      "inside 7 8 9\n");
  EXPECT_EQ(palette.stops, (std::vector<Rgb>{{1, 2, 3}, {4, 5, 6}, {0xA0, 0xB1, 0xC2}}));
  EXPECT_EQ(palette.inside, (Rgb{7, 8, 9}));
  EXPECT_EQ(palette.name, "some.map");
}

TEST(PaletteFile, ReadsGimpPalettes) {
  const Palette palette =
      parsed("GIMP Palette\nName: Bears\nColumns: 2\n# made\n  8   8   8\tgrey3\n255 0 0 red\n");
  EXPECT_EQ(palette.stops, (std::vector<Rgb>{{8, 8, 8}, {255, 0, 0}}));
}

TEST(PaletteFile, InsideMayBeHexAndIsBlackWhenAbsent) {
  EXPECT_EQ(parsed("#010203 night\n#040506\tdawn\n").stops,
            (std::vector<Rgb>{{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(parsed("1 1 1\n2 2 2\ninside #102030\n").inside, (Rgb{16, 32, 48}));
  EXPECT_EQ(parsed("1 1 1\n2 2 2\n").inside, (Rgb{0, 0, 0}));
}

TEST(PaletteFile, HexMayBeShort) {
  EXPECT_EQ(parsed("#fff\n#a0C\n").stops, (std::vector<Rgb>{{255, 255, 255}, {0xAA, 0, 0xCC}}));
}

TEST(PaletteFile, MayBeginWithAByteOrderMark) {
  const std::string gradient = "GIMP Gradient\nName: x\n1\n0 0.5 1 0 0 0 1 1 1 1 1 0 0\n";
  for (const std::string& text :
       {std::string("GIMP Palette\n1 2 3\n4 5 6\n"), std::string("1 2 3\n4 5 6\n"), gradient}) {
    EXPECT_EQ(parsed("\xef\xbb\xbf" + text).stops, parsed(text).stops);
  }
}

TEST(PaletteFile, NamesFileAndLineOfWhatIsNoColour) {
  for (const char* line : {"257 0 0", "-1 0 0", "1 2", "1 2 x", "1 2 3x", "1.5 2 3", "#12345",
                           "#1234567", "#12345g", "red", "inside", "inside 1 2"}) {
    const std::string message = usage_message(std::string("1 2 3\n; c\n") + line + "\n4 5 6\n");
    EXPECT_EQ(message.rfind("some.map:3: ", 0), 0u) << line << ": " << message;
  }
}

TEST(PaletteFile, NeedsTwoColours) {
  EXPECT_EQ(usage_message("1 2 3\ninside 0 0 0\n"),
            "some.map: a palette needs two colours or more, this one has 1");
}

TEST(PaletteFile, IsFoundByItsPathOrItsEnding) {
  const std::string path = ::testing::TempDir() + "palette file test.gpl";
  std::ofstream(path) << "10 20 30\n40 50 60\n";
  EXPECT_EQ(find_palette(path).stops, (std::vector<Rgb>{{10, 20, 30}, {40, 50, 60}}));
  std::filesystem::remove(path);
  for (const std::string& absent : {path, std::string("absent.txt"), std::string("absent.map")}) {
    try {
      find_palette(absent);
      ADD_FAILURE() << absent;
    } catch (const base::Error& error) {
      EXPECT_EQ(error.code(), base::ExitCode::missing);
      EXPECT_EQ(std::string(error.what()).rfind(absent, 0), 0u) << error.what();
    }
  }
}

TEST(PaletteFile, IsLookedForBeforeABuiltinPalette) {
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(::testing::TempDir());
  std::ofstream("ember") << "1,2,3\n 4 , 5,6\n";
  EXPECT_EQ(find_palette("ember").stops, (std::vector<Rgb>{{1, 2, 3}, {4, 5, 6}}));
  std::filesystem::remove("ember");
  EXPECT_EQ(find_palette("ember").description,
            "coals, flame and white heat, cooling through violet smoke");
  std::filesystem::current_path(here);
}

TEST(PaletteFile, ThatIsAFolderIsAnError) {
  EXPECT_THROW(find_palette(::testing::TempDir() + "/"), base::Error);
}

TEST(PaletteFile, ReadsFractintMapsWithRemarksAnd256) {
  std::string text = "256 0 128 remark\n";
  for (int i = 1; i < 256; ++i) text += fmt::format("{} 0 0\n", i);
  const Palette palette = parsed(text + "This map was made by hand.\n");
  EXPECT_EQ(palette.stops.size(), 256U);
  EXPECT_EQ(palette.stops[0], (Rgb{255, 0, 128}));
  EXPECT_NE(usage_message("257 0 0\n1 2 3\n"), "no error");
  EXPECT_NE(usage_message("1 2 3\n4 5 6\nwords\n"), "no error");
}

TEST(PaletteFile, ReadsColorsOfKallesFraktaler) {
  const Palette palette = parsed(
      "Re: 0\r\nIm: 0\r\nZoom: 1\r\nColors: 0,0,0,64,32,16,255,200,100,\r\nInteriorColor: "
      "10,20,30,\r\n");
  EXPECT_EQ(palette.stops, (std::vector<Rgb>{{0, 0, 0}, {16, 32, 64}, {100, 200, 255}}));
  EXPECT_EQ(palette.inside, (Rgb{30, 20, 10}));
  EXPECT_NE(usage_message("Colors: 0,0,0,\n"), "no error");
  EXPECT_NE(usage_message("Colors: 0,0,0,300,1,1,\n"), "no error");
}

TEST(PaletteFile, ReadsGradientsOfUltraFractal) {
  const std::string two =
      "fire {\ngradient:\n  title=\"fire\" smooth=no index=0 color=255 index=100 color=65280\n"
      "  index=300 color=16711680\nopacity:\n  smooth=no index=0 opacity=255\n}\n";
  const Palette palette = parsed(two);
  ASSERT_EQ(palette.stops.size(), 400U);
  EXPECT_EQ(palette.stops[0], (Rgb{255, 0, 0}));
  EXPECT_EQ(palette.stops[50], (Rgb{128, 128, 0}));
  EXPECT_EQ(palette.stops[100], (Rgb{0, 255, 0}));
  EXPECT_EQ(palette.stops[350], (Rgb{128, 0, 128}));
  std::istringstream stream(
      two + "sea {\ngradient:\n rotation=200 index=0 color=1 index=-1 color=2\n}\n");
  EXPECT_EQ(parse_palette(stream, "x.ugr", "sea").stops[200], (Rgb{1, 0, 0}));
  for (const char* const title : {"a color=7 index=9", "its opacity: }", "index=x"}) {
    std::string titled = two;
    EXPECT_EQ(parsed(titled.replace(titled.find("\"fire") + 1, 4, title)).stops, palette.stops);
  }
  std::istringstream in_capitals(two + "sea {\ngradient:\n index=0 color=1\n}\n");
  EXPECT_EQ(parse_palette(in_capitals, "x.ugr", "FIRE").stops, palette.stops);
  EXPECT_NE(usage_message(two + two).find("fire, fire"), std::string::npos);
  const std::string comment = "comment {\n  by nobody\n}\n";
  EXPECT_EQ(parsed(comment + two).stops, palette.stops);
  std::istringstream commented(comment + two);
  EXPECT_THROW(parse_palette(commented, "x.ugr", "comment"), base::Error);
}

TEST(PaletteFile, ReadsGradientsOfGimp) {
  const std::string head = "GIMP Gradient\nName: x\n2\n";
  for (const char* const line :
       {"0 0.5 1 0 0 0 1 1 1 1 1 0 0 1 0\n", "0 0.5 1 0 0 nan 1 1 1 1 1 0 0\n"}) {
    EXPECT_NE(usage_message(head + line), "no error") << line;
  }
  const Palette palette = parsed(head +
                                 "0.0 0.25 0.5 0 0 0 1 1 1 1 1 0 0\n"
                                 "0.5 0.75 1.0 1 0 0 1 1 0 0 1 0 0 0 0\n");
  ASSERT_EQ(palette.stops.size(), 256U);
  EXPECT_EQ(palette.stops[0], (Rgb{1, 1, 1}));
  EXPECT_EQ(palette.stops[127], (Rgb{254, 254, 254}));
  EXPECT_EQ(palette.stops[200], (Rgb{255, 0, 0}));
  EXPECT_NE(usage_message(head + "0 0.5 1 0 0 0 1 1 1 1 1 0 1\n").find("hue"), std::string::npos);
  EXPECT_NE(usage_message(head), "no error");
}

}  // namespace
}  // namespace tessera::color
