/* The kernel that computes pixels of a deep image again whose counts f64 leaves uncertain: in 106
 * bits, with the text and the bits of the cores (src/deep/precise_tier.cpp). In the common subset
 * of CUDA C++ and OpenCL C. An entry file defines what kernels/pixel/pixel_math.h and
 * kernels/gpu/deep_table.h need, and TS_I64, and includes kernels/pixel/pixel_math.h,
 * kernels/pixel/formulas.h, kernels/pixel/launch.h and kernels/deep/image.h. */

/* clang-format off */
#include "kernels/deep/f106.h"
#include "kernels/gpu/deep_table.h"
/* clang-format on */

/* One thread per pixel. The first launch takes tile.listed pixels, whose places in a block that is
 * tile.width pixels wide are listed. A launch leaves pixels after tile.cut steps and keeps them,
 * one after another, in any order. The next launch continues tile.left of them. A pixel that ends
 * has its result stored at its place in the list. */
TS_FN void ts_render_listed(const int has_jumps, const struct TsTile tile,
                            const struct TsDeepImage* image, TS_GLOBAL const unsigned char* table,
                            TS_GLOBAL unsigned char* out, TS_GLOBAL struct TsStats* stats,
                            TS_IN_LOCAL TsBlockStats* block) {
  const TS_U32 index = (TS_U32)TS_BLOCK() * TS_BLOCK_SIZE + TS_THREAD();
  TS_PIXEL pixel;
  ts_begin_stats(block);
  if (index < (tile.left != 0 ? tile.left : tile.listed)) {
    TS_U32 state;
    if (tile.left != 0) {
      pixel = ((TS_GLOBAL const TS_PIXEL*)(out + tile.orbits_byte))[index];
    } else {
      const TS_U32 place = ((TS_GLOBAL const TS_U32*)(out + tile.uncertain_byte))[index];
      const TS_U32 row = place / tile.width;
      ts_begin_pixel(tile, image, place - row * tile.width, row, &pixel);
      pixel.pixel = index;
    }
    state = ts_advance_counted(has_jumps, tile, image, table, image->rounding, &pixel, block);
    if (state == TS_DEEP_PAUSED) {
      ts_keep_pixel(tile, out, stats, &pixel);
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
      result.steps = pixel.steps + pixel.scaled_steps;
      result.is_uncertain = state == TS_DEEP_UNCERTAIN;
      ((TS_GLOBAL struct TsDeepResult*)(out + tile.results_byte))[pixel.pixel] = result;
    }
  }
  ts_add_stats(block, stats);
}

TS_PRECISE_KERNEL void ts_render_precise(const struct TsTile tile,
                                         TS_BY_ADDRESS const struct TsDeepImage image,
                                         TS_GLOBAL const unsigned char* table,
                                         TS_GLOBAL unsigned char* out,
                                         TS_GLOBAL struct TsStats* stats) {
  TS_LOCAL TsBlockStats block;
  ts_render_listed(1, tile, &image, table, out, stats, &block);
}

/* For formulas without jumps. */
TS_PRECISE_KERNEL void ts_render_precise_steps(const struct TsTile tile,
                                               TS_BY_ADDRESS const struct TsDeepImage image,
                                               TS_GLOBAL const unsigned char* table,
                                               TS_GLOBAL unsigned char* out,
                                               TS_GLOBAL struct TsStats* stats) {
  TS_LOCAL TsBlockStats block;
  ts_render_listed(0, tile, &image, table, out, stats, &block);
}
