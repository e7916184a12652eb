#include "job/arrays/array_input.hpp"

#include <gtest/gtest.h>

#include "given.hpp"
#include "job/arrays/input_name.hpp"

namespace tessera::job {
namespace {

using Format = ArrayInput::Format;

TEST(ArrayInput, IsKnownByItsForm) {
  const ArrayInput npy = parse_array_input("some/field.npy");
  EXPECT_EQ(npy.format, Format::file);
  EXPECT_EQ(npy.path, "some/field.npy");

  const ArrayInput raw = parse_array_input("field.bin?dtype=>f4&shape=3x5&offset=16");
  EXPECT_EQ(raw.format, Format::raw);
  EXPECT_EQ(raw.path, "field.bin");
  EXPECT_EQ(raw.type, base::ElementType::f32);
  EXPECT_TRUE(raw.big_endian);
  EXPECT_EQ(raw.shape, (Shape{3, 5}));
  EXPECT_EQ(raw.offset_bytes, 16U);
}

TEST(ArrayInput, OfAnHdf5FileNamesADataset) {
  const ArrayInput named = parse_array_input("out.h5:/group/data");
  EXPECT_EQ(named.format, Format::file);
  EXPECT_EQ(named.path, "out.h5");
  EXPECT_EQ(named.dataset, "/group/data");
  const ArrayInput unnamed = parse_array_input("out.h5");  // the file is asked what it has
  EXPECT_EQ(unnamed.format, Format::file);
  EXPECT_EQ(unnamed.dataset, "");
}

TEST(ArrayInput, HoldsAnyCharacterInANameByAnEscape) {
  const ArrayInput npy = parse_array_input("a\\x3fb\\x0a.npy");
  EXPECT_EQ(npy.path, "a?b\n.npy");
  EXPECT_EQ(npy.text, "a\\x3fb\\x0a.npy");
  EXPECT_EQ(parse_array_input("a\nb.npy").text, "a\\x0ab.npy");
  EXPECT_EQ(parse_array_input("a?b.npy").path, "a?b.npy");
  const ArrayInput data = parse_array_input("a.h5:/b?c=d:/e");
  EXPECT_EQ(data.path, "a.h5");
  EXPECT_EQ(data.dataset, "/b?c=d:/e");
  const ArrayInput raw = parse_array_input("a?.raw?dtype=u1&shape=3");
  EXPECT_EQ(raw.path, "a?.raw");
  EXPECT_EQ(raw.format, Format::raw);
}

TEST(ArrayInput, OfAPatternKnowsTheStarAlone) {
  const ArrayInput some = parse_array_input("r[1]/p\\x2a*.npy");
  EXPECT_EQ(some.pattern, "r\\[1]/p\\**.npy");
  EXPECT_EQ(parse_array_input("p\\x2a.npy").pattern, "");
}

TEST(ArrayInput, OfAListMayHoldCommas) {
  const auto list = [](const char* text) { return split_inputs(text); };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(list("a.npy, b.npy"), (Texts{"a.npy", "b.npy"}));
  EXPECT_EQ(list("k.h5:/a,b,c.npy"), (Texts{"k.h5:/a,b", "c.npy"}));
  EXPECT_EQ(list("k.raw?dtype=u1&shape=3,4,c.npy"), (Texts{"k.raw?dtype=u1&shape=3,4", "c.npy"}));
  EXPECT_EQ(list("a.npy,linspace:0,1?count=3"), (Texts{"a.npy", "linspace:0,1?count=3"}));
  EXPECT_EQ(list("a,b.npy"), (Texts{"a", "b.npy"}));
  EXPECT_EQ(list("a,,b"), (Texts{"a", "", "b"}));
  EXPECT_EQ(list(" "), Texts());
}

TEST(ArrayInput, TakesAShapeWithCrossesOrCommas) {
  for (const char* shape : {"4x5x6", "4,5,6", "4, 5, 6"}) {
    EXPECT_EQ(parse_array_input(std::string("a.raw?dtype=u1&shape=") + shape).shape,
              (Shape{4, 5, 6}));
  }
}

TEST(ArrayInput, SaysWhatIsWrong) {
  const auto refused = [](std::string_view text, const std::vector<std::string>& words) {
    expect_error(base::ExitCode::usage, words, [&] { parse_array_input(text); });
  };
  refused("", {"INPUT", "empty"});
  refused("picture.png", {"picture.png", "FILE.npy"});
  refused("a.raw?dtype=f4", {"a.raw", "shape"});
  refused("a.raw?shape=4", {"a.raw", "dtype"});
  refused("a.raw?dtype=f3&shape=4", {"'f3'", "f2 f4 f8"});
  refused("a.raw?dtype=complex&shape=4", {"'complex'"});
  refused("a.raw?dtype=f4&shape=4x-1", {"'-1'"});
  refused("a.raw?dtype=f4&shape=", {"shape"});
  refused("a.raw?dtype=f4&shap=4", {"'shap'", "did you mean 'shape'"});
  refused("a.raw?dtype=f4&dtype=f8&shape=4", {"dtype=f8"});
  refused("a.raw?dtype=f4&shape=4&offset=-1", {"'-1'"});
  refused("a.raw?dtype=f4&shape=4611686018427387904x2", {"2^62"});
  refused("a.raw?dtype=f4&shape=0x4611686018427387904x2", {"2^62"});
  refused("https://host/x.h5:/d", {"https://host/x.h5:/d", "URL"});
}

TEST(ArrayInput, HasASliceByNamesOrByPlaces) {
  const std::vector<std::string> names = {"time", "lat", "lon"};
  const auto ranges = [&](std::string_view text) {
    return slice_ranges(parse_slice(text, "x"), {12, 6, 8}, names, "x");
  };
  const auto named = ranges("lon=-1, time = 2:9:3");
  EXPECT_EQ(named[0].start, 2);
  EXPECT_EQ(named[0].count, 3);
  EXPECT_EQ(named[0].step, 3);
  EXPECT_EQ(named[1].count, 6);
  EXPECT_TRUE(named[2].drops);
  EXPECT_EQ(named[2].start, 7);
  for (const std::string_view wrong :
       {"lev=1", "lat=1, 2", "lat=1, lat=2", "lat=", "=1", "lat=a", "lat=1=2"}) {
    EXPECT_THROW(ranges(wrong), base::Error) << wrong;
  }
}

TEST(ArrayInput, CountsElements) {
  EXPECT_EQ(count_elements({}, "x"), 1);
  EXPECT_EQ(count_elements({7, 0, 3}, "x"), 0);
  EXPECT_EQ(count_elements({7, 2, 3}, "x"), 42);
}

}  // namespace
}  // namespace tessera::job
