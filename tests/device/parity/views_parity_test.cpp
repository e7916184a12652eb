#include <gtest/gtest.h>

#include <string>

#include "base/decimal.hpp"
#include "base/text.hpp"
#include "job/image/views.hpp"
#include "parity_devices.hpp"
#include "tests/device/render_block.hpp"

namespace tessera::device {
namespace {

/// Plain arithmetic ends there.
constexpr double kMinWidth = 1e-12;

class ViewsParity : public DeviceTest {};

job::ImageSpec image_of(const job::View& view) {
  const auto center = base::split(view.center, ',');
  return {.center_re = base::parse_real(center.at(0), "center"),
          .center_im = base::parse_real(center.at(1), "center"),
          .width = base::parse_real(view.width, "width"),
          .size_px = {45, 29},
          .iterations = view.iterations};
}

TEST_P(ViewsParity, every_named_view_equals_the_reference_in_both_fields) {
  for (const job::View& view : job::views()) {
    if (base::nearest_real(view.width, "width") < kMinWidth) continue;
    const job::ImageSpec image = image_of(view);
    const auto truth = render_block("reference", image, whole(image), {.smooth = true});
    const auto got = render_block(GetParam(), image, whole(image), {.smooth = true});
    EXPECT_TRUE(got.same_pixels(truth)) << view.name;
    EXPECT_EQ(got.counts.iterations, truth.counts.iterations) << view.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, ViewsParity, testing::ValuesIn(parity_devices()), test_name);

}  // namespace
}  // namespace tessera::device
