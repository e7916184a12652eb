/* The kernel that computes pixels of a deep image again whose counts 106 bits leave uncertain: in
 * 190 bits, with the text and the bits of the cores (src/deep/wide_tier.cpp). In the common subset
 * of CUDA C++ and OpenCL C. An entry file defines what kernels/gpu/deep_precise.h needs, and
 * ts_multiply_add() and ts_leading_zeros() for kernels/deep/wide.h. */

/* clang-format off */
#include "kernels/deep/f64.h"
#include "kernels/deep/wide.h"
#include "kernels/deep/wide_pixel.h"
/* clang-format on */

/* One thread per pixel. A launch continues tile.left of those that the host or a launch has left,
 * as ts_render_listed() does. The table has the nodes first. */
TS_KERNEL void ts_render_wide(const struct TsTile tile,
                              TS_BY_ADDRESS const struct TsDeepImage image,
                              TS_GLOBAL const unsigned char* table, TS_GLOBAL unsigned char* out,
                              TS_GLOBAL struct TsStats* stats) {
  const TS_U32 index = (TS_U32)TS_BLOCK() * TS_BLOCK_SIZE + TS_THREAD();
  TS_LOCAL TsBlockStats block;
  ts_begin_stats(&block);
  if (index < tile.left) {
    struct TsWidePixel pixel =
        ((TS_GLOBAL const struct TsWidePixel*)(out + tile.orbits_byte))[index];
    const TS_U64 before = pixel.steps;
    const TS_U32 state = ts_wide_advance(
        &image.limits, (TS_GLOBAL const struct TsWideNode*)table,
        (TS_GLOBAL const struct TsWideEntry*)(table + image.entries_byte), tile.cut, &pixel);
    ts_add_executed(&block, pixel.steps - before);
    if (state == TS_DEEP_PAUSED) {
      const TS_U32 place = TS_ATOMIC_ADD(&stats->kept, 1u) - tile.kept_before;
      ((TS_GLOBAL struct TsWidePixel*)(out + tile.kept_byte))[place] = pixel;
    } else {
      struct TsDeepResult result;
      result.count = pixel.count;
      result.smooth_m = pixel.smooth_m;
      result.smooth_radius2 = pixel.smooth_radius2;
      result.smooth_slope2 = pixel.smooth_slope2;
      result.smooth_right = pixel.smooth_right;
      result.smooth_up = pixel.smooth_up;
      result.smooth_x = pixel.smooth_x;
      result.smooth_y = pixel.smooth_y;
      result.steps = pixel.steps;
      result.is_uncertain = state == TS_DEEP_UNCERTAIN;
      ((TS_GLOBAL struct TsDeepResult*)(out + tile.results_byte))[pixel.pixel] = result;
    }
  }
  ts_add_stats(&block, stats);
}
