// The images of a zoom as jobs.
#include "render/film.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "job/image/fingerprint.hpp"
#include "job/image/options.hpp"
#include "job/image/resolution.hpp"

namespace tessera::render {
namespace {

job::RenderJob zoom_of(std::initializer_list<std::pair<std::string, std::string>> options) {
  std::vector<job::Given> given;
  for (const auto& [name, value] : options) given.push_back({name, value, "--" + name});
  return job::make_render_job(given);
}

TEST(FrameOf, a_zoom_ends_at_its_width_and_begins_wide) {
  const job::RenderJob zoom =
      zoom_of({{"center", "-0.75,0.1"}, {"width", "0.3"}, {"frames", "4"}, {"output", "d/z.h5"}});
  const std::vector<std::string> widths = {"2.4", "1.2", "0.6", "0.3"};
  for (int i = 0; i < 4; ++i) {
    const job::RenderJob frame = frame_of(zoom, i);
    EXPECT_EQ(frame.width_text, widths[static_cast<std::size_t>(i)]);
    EXPECT_EQ(frame.output, "d/z-000" + std::to_string(i) + ".h5");
    EXPECT_EQ(frame.frames, 0);
    EXPECT_EQ(frame.of_frames, 4);
    EXPECT_FALSE(frame.arithmetic_auto);
  }
}

TEST(FrameOf, is_the_image_that_a_job_of_its_own_would_make) {
  const job::RenderJob zoom = zoom_of({{"view", "deep-spiral"},
                                       {"width", "1e-14"},
                                       {"frames", "30"},
                                       {"zoom-per-frame", "4"},
                                       {"size", "64x36"}});
  bool plain = false;
  for (int i = 0; i < 30; ++i) {
    const job::RenderJob frame = frame_of(zoom, i);
    const job::RenderJob alone = zoom_of({{"view", "deep-spiral"},
                                          {"width", frame.width_text},
                                          {"size", "64x36"},
                                          {"fields", "iterations,smooth"}});
    EXPECT_EQ(frame.image, alone.image) << i;
    EXPECT_EQ(job::fingerprint(frame), job::fingerprint(alone)) << i;
    plain = plain || !frame.image.deep();
  }
  EXPECT_TRUE(plain) << "the wide images";
  EXPECT_TRUE(frame_of(zoom, 29).image.deep());
}

TEST(FrameOf, a_zoom_that_turns_ends_as_it_is_rotated) {
  const job::RenderJob zoom =
      zoom_of({{"view", "seahorse"}, {"frames", "4"}, {"rotate", "90"}, {"turn-per-frame", "15"}});
  for (int i = 0; i < 4; ++i) {
    const job::RenderJob frame = frame_of(zoom, i);
    const job::RenderJob alone =
        zoom_of({{"view", "seahorse"}, {"rotate", std::to_string(45 + 15 * i)}});
    EXPECT_EQ(frame.image.matrix, alone.image.matrix) << i;
  }
}

TEST(FrameOf, plain_images_have_no_uncertain_pixels_to_leave) {
  const job::RenderJob zoom = zoom_of({{"center", "-1.75,0"},
                                       {"width", "1e-12"},
                                       {"frames", "40"},
                                       {"exact", "off"},
                                       {"size", "64"}});
  EXPECT_TRUE(frame_of(zoom, 0).image.exact);
  EXPECT_FALSE(frame_of(zoom, 39).image.exact);
}

}  // namespace
}  // namespace tessera::render
