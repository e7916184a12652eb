#include "job/arrays/array_input.hpp"

#include <gtest/gtest.h>

#include "given.hpp"

namespace tessera::job {
namespace {

using Format = ArrayInput::Format;

TEST(ArrayInput, IsKnownByItsForm) {
  const ArrayInput npy = parse_array_input("some/field.npy");
  EXPECT_EQ(npy.format, Format::npy);
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
  EXPECT_EQ(named.format, Format::hdf5);
  EXPECT_EQ(named.path, "out.h5");
  EXPECT_EQ(named.dataset, "/group/data");
  const ArrayInput unnamed = parse_array_input("out.h5");  // the file is asked what it has
  EXPECT_EQ(unnamed.format, Format::hdf5);
  EXPECT_EQ(unnamed.dataset, "");
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
  refused("a\nb.npy", {"INPUT", "line break"});
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
}

TEST(ArrayInput, CountsElements) {
  EXPECT_EQ(count_elements({}, "x"), 1);
  EXPECT_EQ(count_elements({7, 0, 3}, "x"), 0);
  EXPECT_EQ(count_elements({7, 2, 3}, "x"), 42);
}

}  // namespace
}  // namespace tessera::job
