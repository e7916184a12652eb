// The job of `tessera film`.
#include "job/image/film_job.hpp"

#include <cmath>
#include <numbers>

#include "given.hpp"
#include "job/image/zoom.hpp"

namespace tessera::job {
namespace {

TEST(NumberedPath, has_the_number_before_the_suffix) {
  EXPECT_EQ(numbered_path("zoom.h5", 0), "zoom-0000.h5");
  EXPECT_EQ(numbered_path("a b/z.0.png", 12), "a b/z.0-0012.png");
  EXPECT_EQ(numbered_path("/x/zoom", 12345), "/x/zoom-12345");
}

FilmJob film_of(std::initializer_list<std::pair<std::string_view, std::string_view>> options) {
  FilmJob job;
  apply_film_options(job, given(options));
  return job;
}

TEST(FilmJob, takes_its_length_in_seconds_or_in_frames) {
  EXPECT_EQ(film_of({{"seconds", "1m30s"}}).seconds, 90);
  EXPECT_EQ(film_of({{"frames-per-key", "12"}, {"fps", "23.976"}}).frames_per_key, 12);
  expect_error(base::ExitCode::usage, {"--frames-per-key", "--seconds"}, [] {
    film_of({{"seconds", "5"}, {"frames-per-key", "12"}});
  });
}

TEST(LargestTurn, is_as_fast_as_the_zoom_moves_the_corners) {
  const base::ImageSize wide{1920, 1080}, high{300, 400};
  EXPECT_NEAR(largest_turn(wide, {640, 360}, 2), std::log(2) * 9 / 16 * 180 / std::numbers::pi,
              0.01);
  EXPECT_NEAR(largest_turn(high, high, 1.5), std::log(1.5) * 3 / 4 * 180 / std::numbers::pi, 0.01);
  EXPECT_EQ(largest_turn(wide, wide, 20), 90);
  EXPECT_GT(largest_turn(wide, {360, 360}, 2), largest_turn(wide, wide, 2)) << "room at its sides";
}

TEST(FilmJob, refuses_numbers_that_make_no_film) {
  const std::initializer_list<std::pair<std::string_view, std::string_view>> bad = {
      {"fps", "0"},     {"fps", "-1"},           {"fps", "1001"}, {"seconds", "0"},
      {"seconds", "x"}, {"frames-per-key", "0"}, {"size", "0x9"}, {"field", "depth"}};
  for (const auto& one : bad) {
    expect_error(base::ExitCode::usage, {"--" + std::string(one.first)}, [&] { film_of({one}); });
  }
}

}  // namespace
}  // namespace tessera::job
