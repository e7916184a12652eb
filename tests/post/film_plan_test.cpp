// Which images a frame of a film shows, and how much of each.
#include "post/film/film_plan.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"

namespace tessera::post {
namespace {

TEST(FilmFrames, go_from_the_first_image_to_the_last_at_constant_speed) {
  for (const std::int64_t keys : {2, 3, 61}) {
    for (const std::int64_t count : {2, 7, 1800}) {
      const FilmFrames frames{keys, count};
      for (std::int64_t i = 0; i < count; ++i) {
        const FilmPlace place = frames.at(i);
        const double at = static_cast<double>(place.key) + place.beyond;
        EXPECT_NEAR(at, static_cast<double>(i * (keys - 1)) / static_cast<double>(count - 1), 1e-9);
        EXPECT_LT(place.beyond, 1);
      }
      EXPECT_EQ(frames.at(count - 1).key, keys - 1);
      EXPECT_EQ(frames.at(count - 1).beyond, 0);
    }
  }
}

TEST(FilmFrames, are_as_many_as_the_job_says) {
  job::FilmJob job;
  EXPECT_EQ(frames_of(job, 61).count, 60 * 30 + 1);
  job.frames_per_key = 4;
  EXPECT_EQ(frames_of(job, 3).count, 9);
  job.frames_per_key = 0;
  job.seconds = 60;
  EXPECT_EQ(frames_of(job, 3).count, 1800);
  job.seconds = 1e-3;
  EXPECT_EQ(frames_of(job, 3).count, 2);
  job.seconds = 86400;
  job.fps = 1000;
  EXPECT_THROW(frames_of(job, 3), base::Error);
}

double place_of(const FilmFrames& frames, std::int64_t frame) {
  const FilmPlace place = frames.at(frame);
  EXPECT_GE(place.beyond, 0);
  EXPECT_LT(place.beyond, 1);
  return static_cast<double>(place.key) + place.beyond;
}

TEST(FilmFrames, stand_still_at_the_ends_and_get_up_to_speed) {
  for (const std::int64_t keys : {2, 3, 61}) {
    const FilmFrames frames{.keys = keys, .count = 121, .hold = 10, .ease = 25};
    for (std::int64_t i = 0; i <= frames.hold; ++i) {
      EXPECT_EQ(place_of(frames, i), 0);
      EXPECT_EQ(place_of(frames, frames.count - 1 - i), static_cast<double>(keys - 1));
    }
    const double full = static_cast<double>(keys - 1) / (100 - 25);
    for (std::int64_t i = frames.hold; i < frames.count - 1 - frames.hold; ++i) {
      const double speed = place_of(frames, i + 1) - place_of(frames, i);
      // Halfway between two frames, the speed has risen by so much.
      const double from_end = 0.5 + static_cast<double>(std::min(i - 10, 109 - i));
      EXPECT_NEAR(speed, full * std::min(1.0, from_end / 25), 1e-12 * static_cast<double>(keys))
          << i;
      EXPECT_NEAR(place_of(frames, i) + place_of(frames, frames.count - 1 - i),
                  static_cast<double>(keys - 1), 1e-9);
    }
  }
}

TEST(FilmFrames, with_pauses_are_as_many_as_the_job_says) {
  job::FilmJob job;
  job.hold_s = 2;
  job.ease_s = 1;
  const FilmFrames open = frames_of(job, 3);
  EXPECT_EQ(open.count, 2 * 30 + 30 + 1 + 2 * 60);
  EXPECT_EQ(open.hold, 60);
  EXPECT_EQ(open.ease, 30);
  job.seconds = 10;
  EXPECT_EQ(frames_of(job, 3).count, 300);
  job.ease_s = 4;
  EXPECT_THROW(frames_of(job, 3), base::Error);
  job.ease_s = 0;
  job.hold_s = 5;
  EXPECT_THROW(frames_of(job, 3), base::Error);
}

TEST(FilmBlend, does_not_jump_where_the_next_image_takes_over) {
  for (const double zoom : {1.5, 2.0, 10.0}) {
    const base::ImageSize key{1920, 1080};
    const base::ImageSize film{640, 360};
    const FilmBlend begin = blend_at(key, film, zoom, 0);
    const FilmBlend end = blend_at(key, film, zoom, 1 - 1e-9);
    EXPECT_EQ(begin.wide_scale, 3);
    EXPECT_EQ(begin.narrow_weight, 0);
    EXPECT_NEAR(end.narrow_scale, begin.wide_scale, 1e-7);
    EXPECT_NEAR(end.narrow_weight, 1, 1e-7);
    EXPECT_NEAR(end.edge_px, 0, 1e-5);
  }
}

TEST(FilmBlend, zooms_by_the_same_factor_from_frame_to_frame) {
  const base::ImageSize key{640, 480};
  const base::ImageSize film{320, 180};
  double before = blend_at(key, film, 2, 0).wide_scale;
  EXPECT_EQ(before, 2) << "the film lies within the image";
  for (int i = 1; i < 10; ++i) {
    const double now = blend_at(key, film, 2, i / 10.0).wide_scale;
    EXPECT_NEAR(now / before, std::exp2(-0.1), 1e-12);
    before = now;
  }
}

FilmRequest request(std::uint64_t memory_mib, bool in_order) {
  return {.film_px = {1920, 1080},
          .chunk_px = {512, 512},
          .in_order = in_order,
          .memory_bytes = memory_mib << 20,
          .lanes = 8,
          .lanes_of_all = 8};
}

TEST(FilmPlan, takes_fewer_lanes_and_rows_where_memory_is_short) {
  const FilmBudget plenty = plan_film(request(16384, true));
  EXPECT_EQ(plenty.lanes, 8);
  EXPECT_EQ(plenty.rows, 1080);
  EXPECT_GE(plenty.window, 8);
  const FilmBudget little = plan_film(request(512, true));
  EXPECT_GE(little.lanes, 1);
  EXPECT_LT(little.lanes * little.rows, plenty.lanes * plenty.rows);
  EXPECT_GE(little.window, 1);
  EXPECT_EQ(plan_film(request(512, false)).window, 0) << "pictures come in any order";
}

TEST(FilmPlan, says_how_much_memory_would_do) {
  try {
    plan_film(request(100, false));
    FAIL() << "a frame of 6 MB beside all else fits into 100 MiB?";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("--memory"), std::string::npos);
  }
}

}  // namespace
}  // namespace tessera::post
