/* The kernel that renders a block of a deep image (src/deep): differences from the reference orbit
 * in f64, in the common subset of CUDA C++ and OpenCL C. An entry file defines what
 * kernels/pixel/pixel_math.h and kernels/gpu/deep_table.h need, and TS_I64, and includes
 * kernels/pixel/pixel_math.h, kernels/pixel/launch.h and kernels/deep/image.h. */

/* clang-format off */
#include "kernels/deep/f64.h"
#include "kernels/gpu/deep_table.h"
/* clang-format on */

/* The value of the field `smooth`, where the image has it. */
TS_FN float ts_deep_smooth(const TsDeepLimits* limits, const TS_PIXEL* pixel) {
  if (pixel->count == limits->limit) return (float)(double)limits->limit;
  return (float)ts_smooth_of((int)limits->degree, (double)pixel->smooth_m, pixel->smooth_radius2);
}

/* The value of the field `fraction`, where the image has it. */
TS_FN float ts_deep_fraction(const TsDeepLimits* limits, const TS_PIXEL* pixel) {
  if (pixel->count == limits->limit) return 0.0f;
  return (float)ts_smooth_of((int)limits->degree, (double)pixel->smooth_m - (double)pixel->count,
                             pixel->smooth_radius2);
}

/* Stores the values that need z_m or its derivative, those that the image has. */
TS_FN void ts_store_deep_measured(const struct TsTile tile, TS_U64 limit,
                                  TS_GLOBAL unsigned char* out, TS_U64 at, const TS_PIXEL* pixel) {
  double distance = 0.0, phase = 0.0;
  TsSlopes gradient;
  gradient.right = gradient.up = 0.0;
  if (pixel->count != limit) {
    distance = ts_distance_of(pixel->smooth_radius2, pixel->smooth_slope2);
    gradient.right = pixel->smooth_right;
    gradient.up = pixel->smooth_up;
    gradient = ts_gradient_of(distance, gradient);
    if (tile.flags & TS_ANGLE) phase = ts_angle(pixel->smooth_x, pixel->smooth_y);
  }
  ts_store_measured(tile, out, at, ts_stored_distance(distance), ts_stored_distance(gradient.right),
                    ts_stored_distance(gradient.up), (float)phase);
}

/* One thread per pixel. The launch leaves pixels after tile.cut steps and keeps them, one after
 * another, in any order. The next launch continues tile.left of them, one thread each. A pixel
 * whose count is uncertain has its place listed, and zeros stored. */
TS_FN void ts_render_deep_block(const int has_jumps, const struct TsTile tile,
                                const struct TsDeepImage* image,
                                TS_GLOBAL const unsigned char* table, TS_GLOBAL unsigned char* out,
                                TS_GLOBAL struct TsStats* stats, TS_IN_LOCAL TsBlockStats* block) {
  TS_U32 column, row;
  int has_pixel = ts_find_pixel(tile, &column, &row);
  TS_PIXEL pixel;
  if (tile.left != 0) {
    const TS_U32 index = (TS_U32)TS_BLOCK() * TS_BLOCK_SIZE + TS_THREAD();
    has_pixel = index < tile.left;
    if (has_pixel) pixel = ((TS_GLOBAL const TS_PIXEL*)(out + tile.orbits_byte))[index];
  } else if (has_pixel) {
    ts_begin_pixel(tile, image, column, row, &pixel);
    pixel.pixel = row * tile.width + column;
  }

  ts_begin_stats(block);
  if (has_pixel) {
    const TS_U32 state =
        ts_advance_counted(has_jumps, tile, image, table, TS_DEEP_ROUNDING, &pixel, block);
    row = pixel.pixel / tile.width;
    column = pixel.pixel - row * tile.width;
    const TS_U64 at = tile.first + row * tile.stride_px + column;
    if (state == TS_DEEP_DONE) {
      const float smooth = tile.flags & TS_SMOOTH ? ts_deep_smooth(&image->limits, &pixel) : 0.0f;
      const float fraction =
          tile.flags & TS_FRACTION ? ts_deep_fraction(&image->limits, &pixel) : 0.0f;
      ts_put_pixel(tile, out, at, pixel.count, smooth, fraction, pixel.count == image->limits.limit,
                   block);
      if (tile.flags & TS_MEASURES) {
        ts_store_deep_measured(tile, image->limits.limit, out, at, &pixel);
      }
    } else if (state == TS_DEEP_UNCERTAIN) {
      const TS_U32 place = TS_ATOMIC_ADD(&stats->uncertain, 1u);
      ((TS_GLOBAL TS_U32*)(out + tile.uncertain_byte))[place] = (TS_U32)at;
      ts_store_pixel(tile, out, at, 0, 0.0f, 0.0f);
      ts_store_measured(tile, out, at, 0.0f, 0.0f, 0.0f, 0.0f);
    } else {
      ts_keep_pixel(tile, out, stats, &pixel);
    }
  }
  ts_add_stats(block, stats);
}

TS_DEEP_KERNEL void ts_render_deep(const struct TsTile tile,
                                   TS_BY_ADDRESS const struct TsDeepImage image,
                                   TS_GLOBAL const unsigned char* table,
                                   TS_GLOBAL unsigned char* out, TS_GLOBAL struct TsStats* stats) {
  TS_LOCAL TsBlockStats block;
  ts_render_deep_block(1, tile, &image, table, out, stats, &block);
}

/* For formulas without jumps. */
TS_DEEP_KERNEL void ts_render_deep_steps(const struct TsTile tile,
                                         TS_BY_ADDRESS const struct TsDeepImage image,
                                         TS_GLOBAL const unsigned char* table,
                                         TS_GLOBAL unsigned char* out,
                                         TS_GLOBAL struct TsStats* stats) {
  TS_LOCAL TsBlockStats block;
  ts_render_deep_block(0, tile, &image, table, out, stats, &block);
}
