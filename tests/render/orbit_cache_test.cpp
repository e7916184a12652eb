// The reference orbit beside an unfinished image.
#include "render/orbit_cache.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <optional>

#include "tests/base/file/damages.hpp"
#include "tests/store/scratch_folder.hpp"

namespace tessera::render {
namespace {

class OrbitCache : public testing::Test {
 protected:
  const deep::Place place_{.center_re = "-0.75",
                           .center_im = "1e-3",
                           .width = "1e-30",
                           .size_px = {64, 48},
                           .iterations = 2000};

  /// The whole orbit, in pieces of so many calls.
  deep::ReferenceOrbit write(int calls) {
    deep::PartialOrbit orbit(deep::orbit_start(place_), deep::orbit_limits(place_));
    OrbitFile file(path_, place_);
    while (!orbit.complete()) {
      for (int i = 0; i < calls; ++i) orbit.advance();
      file.save(orbit);
    }
    return orbit.take();
  }

  const store::ScratchFolder folder_;
  const std::string path_ = orbit_path(folder_.file("a.h5"));
};

/// The orbit of this place, if `path` holds all of it.
std::optional<deep::ReferenceOrbit> read_orbit(const std::string& path, const deep::Place& place) {
  deep::PartialOrbit orbit(deep::orbit_start(place), deep::orbit_limits(place));
  if (!OrbitFile(path, place).restore(orbit) || !orbit.complete()) return std::nullopt;
  return orbit.take();
}

void expect_same(const deep::ReferenceOrbit& a, const deep::ReferenceOrbit& b) {
  EXPECT_EQ(a.re, b.re);
  EXPECT_EQ(a.im_low, b.im_low);
  EXPECT_EQ(a.tiny.size(), b.tiny.size());
  EXPECT_EQ(a.escaped, b.escaped);
  EXPECT_EQ(a.exhausted, b.exhausted);
  EXPECT_EQ(a.exact, b.exact);
  EXPECT_EQ(a.bits, b.bits);
}

TEST_F(OrbitCache, gives_back_every_bit) {
  EXPECT_FALSE(read_orbit(path_, place_));
  for (const int calls : {100, 1}) {
    const deep::ReferenceOrbit orbit = write(calls);
    ASSERT_EQ(orbit.length(), 2000);
    const auto read = read_orbit(path_, place_);
    ASSERT_TRUE(read);
    expect_same(*read, orbit);
    EXPECT_EQ(orbit_iterations(path_), orbit.length());
  }
}

TEST_F(OrbitCache, takes_a_long_orbit_in_pieces) {
  deep::Place place = place_;
  place.center_im = "1e-30";
  place.iterations = 1'200'000;
  deep::PartialOrbit orbit(deep::orbit_start(place), deep::orbit_limits(place));
  OrbitFile file(path_, place);
  while (!orbit.complete()) {
    orbit.advance();
    file.save_if_many(orbit);
    EXPECT_EQ(std::filesystem::exists(path_), orbit.iterations() >= 1U << 20) << orbit.iterations();
  }
  EXPECT_LT(orbit_iterations(path_), orbit.orbit().length());
  file.save(orbit);
  const auto read = read_orbit(path_, place);
  ASSERT_TRUE(read);
  expect_same(*read, orbit.orbit());
}

TEST_F(OrbitCache, continues_an_orbit_that_is_not_complete) {
  {
    deep::PartialOrbit begun(deep::orbit_start(place_), deep::orbit_limits(place_));
    OrbitFile file(path_, place_);
    EXPECT_FALSE(file.restore(begun));
    for (int i = 0; i < 3; ++i) {
      begun.advance();
      file.save(begun);
    }
  }
  EXPECT_FALSE(read_orbit(path_, place_));
  for (const std::uint64_t kept : {768, 512}) {
    deep::PartialOrbit orbit(deep::orbit_start(place_), deep::orbit_limits(place_));
    OrbitFile file(path_, place_);
    ASSERT_TRUE(file.restore(orbit));
    EXPECT_EQ(orbit.iterations(), kept);
    // The last piece was not written to its end.
    if (kept == 768) std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 1);
    if (kept == 768) continue;
    while (!orbit.complete()) orbit.advance();
    file.save(orbit);
    EXPECT_EQ(orbit_iterations(path_), 2000);
    const auto read = read_orbit(path_, place_);
    ASSERT_TRUE(read);
    expect_same(*read, deep::orbit_of(place_));
  }
}

TEST_F(OrbitCache, is_of_one_place_only) {
  write(100);
  deep::Place same = place_;
  same.smooth = true;
  same.bailout = 100;
  EXPECT_TRUE(read_orbit(path_, same));
  for (const auto& [name, change] :
       {std::pair(
            "centre", +[](deep::Place& place) { place.center_im = "2e-3"; }),
        {"bits", +[](deep::Place& place) { place.width = "1e-35"; }},
        {"iterations", +[](deep::Place& place) { place.iterations = 501; }},
        {"formula",
         +[](deep::Place& place) {
           place.formula = {kernels::TS_FORMULA_tricorn, 2, {}, {}};
         }},
        {"degree", +[](deep::Place& place) {
           place.formula = {kernels::TS_FORMULA_multibrot, 3, {}, {}};
         }}}) {
    deep::Place other = place_;
    change(other);
    EXPECT_FALSE(read_orbit(path_, other)) << name;
  }
}

TEST_F(OrbitCache, keeps_its_pieces_where_a_power_cut_left_zeros_behind_them) {
  const deep::ReferenceOrbit orbit = write(1);
  const auto bytes = std::filesystem::file_size(path_);
  for (const std::size_t zeros : {8U, 24U, 5000U}) {
    std::filesystem::resize_file(path_, bytes + zeros);
    const auto read = read_orbit(path_, place_);
    ASSERT_TRUE(read) << zeros;
    expect_same(*read, orbit);
    EXPECT_EQ(orbit_iterations(path_), orbit.length());
  }
}

TEST_F(OrbitCache, gives_a_part_of_the_orbit_or_none_if_it_is_damaged) {
  const deep::ReferenceOrbit orbit = write(1);
  for (const auto& [what, bytes] : base::damages_of(base::read_whole(path_), 100)) {
    base::write_whole(path_, bytes);
    orbit_iterations(path_);
    deep::PartialOrbit some(deep::orbit_start(place_), deep::orbit_limits(place_));
    if (!OrbitFile(path_, place_).restore(some)) continue;
    while (!some.complete()) some.advance();
    expect_same(some.orbit(), orbit);
    EXPECT_FALSE(testing::Test::HasFailure()) << what;
  }
}

TEST_F(OrbitCache, that_is_damaged_is_none) {
  write(100);
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
