// The reference orbit beside an unfinished image.
#include "render/orbit_cache.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

#include "tests/store/scratch_folder.hpp"

namespace tessera::render {
namespace {

class OrbitCache : public testing::Test {
 protected:
  const deep::Place place_{.center_re = "-175e-2",
                           .center_im = "1e-3",
                           .width = "1e-30",
                           .size_px = {64, 48},
                           .iterations = 500};
  const store::ScratchFolder folder_;
  const std::string path_ = orbit_path(folder_.file("a.h5"));
};

TEST_F(OrbitCache, gives_back_every_bit) {
  EXPECT_FALSE(read_orbit(path_, place_));
  const deep::ReferenceOrbit orbit = deep::orbit_of(place_);
  write_orbit(path_, place_, orbit);
  const auto read = read_orbit(path_, place_);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->re, orbit.re);
  EXPECT_EQ(read->im_low, orbit.im_low);
  EXPECT_EQ(read->tiny.size(), orbit.tiny.size());
  EXPECT_EQ(read->escaped, orbit.escaped);
  EXPECT_EQ(orbit_iterations(path_), orbit.length());
}

TEST_F(OrbitCache, is_of_one_place_only) {
  write_orbit(path_, place_, deep::orbit_of(place_));
  deep::Place same = place_;
  same.smooth = true;
  same.bailout = 100;
  EXPECT_TRUE(read_orbit(path_, same));
  for (const auto& [name, change] :
       {std::pair(
            "centre", +[](deep::Place& place) { place.center_im = "2e-3"; }),
        {"bits", +[](deep::Place& place) { place.width = "1e-35"; }},
        {"iterations", +[](deep::Place& place) { place.iterations = 501; }}}) {
    deep::Place other = place_;
    change(other);
    EXPECT_FALSE(read_orbit(path_, other)) << name;
  }
}

TEST_F(OrbitCache, that_is_damaged_is_none) {
  write_orbit(path_, place_, deep::orbit_of(place_));
  const auto bytes = std::filesystem::file_size(path_);
  std::filesystem::resize_file(path_, bytes - 100);
  EXPECT_FALSE(read_orbit(path_, place_));
  std::filesystem::resize_file(path_, bytes);  // with zeros
  EXPECT_FALSE(read_orbit(path_, place_));
  std::filesystem::resize_file(path_, 10);
  EXPECT_FALSE(read_orbit(path_, place_));
  EXPECT_FALSE(orbit_iterations(path_));
}

}  // namespace
}  // namespace tessera::render
