/* The kernel that renders a block of an exact image by orbits in f64 with a bound of their errors
 * (docs/numerics-exact.md), in the common subset of CUDA C++ and OpenCL C. Is included after
 * kernels/pixel/render_kernel.h has defined what both need. */

#include "kernels/pixel/bounded_orbit.h"
#include "kernels/pixel/long_orbit.h"

/* The coordinates of a pixel of the launch. */
TS_FN TsLongPoint ts_exact_coordinates(const struct TsTile tile, TS_U32 column, TS_U32 row,
                                       TS_GLOBAL const TsExactPlane* plane) {
  const double u = ts_column_offset(tile.x + (double)column, tile.half_width_px);
  const double v = ts_row_offset(tile.y + (double)row, tile.half_height_px);
  TsLongPoint at;
  at.re = ts_long_coordinate(plane->right_re, u, plane->up_re, v, plane->center_re);
  at.im = ts_long_coordinate(plane->right_im, u, plane->up_im, v, plane->center_im);
  return at;
}

TS_FN TsBoundedWork ts_bounded_work(int formula, const struct TsTile tile, TsLongPoint at,
                                    TS_GLOBAL const TsExactImage* image) {
  const int starts_at_pixel = ts_starts_at_pixel(formula);
  TsBoundedWork work;
  work.limits = &image->limits;
  work.limit = tile.iterations;
  work.flags = tile.flags;
  work.c_re = starts_at_pixel ? tile.constant_re : at.re.hi;
  work.c_im = starts_at_pixel ? tile.constant_im : at.im.hi;
  work.c_of_julia.re = image->plane.constant_re;
  work.c_of_julia.im = image->plane.constant_im;
  work.step = tile.step;
  return work;
}

/* Stores the values of a counted pixel that ts_store_pixel() does. Returns whether it has others.
 */
TS_FN int ts_store_counted(int formula, const struct TsTile tile, TS_GLOBAL unsigned char* out,
                           TS_U64 at, const TsBoundedPixel pixel, TS_IN_LOCAL TsBlockStats* block) {
  const int inside = pixel.count == tile.iterations;
  float smooth = 0.0f, fraction = 0.0f;
  if (inside) {
    smooth = (float)(double)tile.iterations;
  } else if (tile.flags & TS_FINDS_M) {
    const int degree = ts_degree_of(formula, (int)tile.degree);
    smooth = (float)ts_smooth_of(degree, (double)pixel.m, pixel.radius2);
    if (tile.flags & TS_FRACTION) {
      fraction = (float)ts_smooth_of(degree, (double)pixel.m - (double)pixel.count, pixel.radius2);
    }
  }
  ts_put_pixel(tile, out, at, pixel.count, smooth, fraction, inside, block);
  return !inside && (tile.flags & TS_MEASURES) != 0;
}

/* The same; an open pixel is listed with the n at which it was given up. */
TS_FN int ts_store_bounded(int formula, const struct TsTile tile, TS_GLOBAL unsigned char* out,
                           TS_GLOBAL struct TsStats* stats, TS_U64 at, int state,
                           const TsBoundedPixel pixel, TS_IN_LOCAL TsBlockStats* block) {
  int measures = 0;
  if (state == TS_EXACT_COUNTED) {
    measures = ts_store_counted(formula, tile, out, at, pixel, block);
  } else {
    const TS_U32 place = TS_ATOMIC_ADD(&stats->uncertain, 1u);
    ((TS_GLOBAL TS_U32*)(out + tile.uncertain_byte))[place] = (TS_U32)at;
    ts_store_pixel(tile, out, at, pixel.open_at, 0.0f, 0.0f);
  }
  if (!measures) ts_store_measured(tile, out, at, 0.0f, 0.0f, 0.0f, 0.0f);
  return measures;
}

/* One thread per pixel. A `general` launch leaves orbits as ts_render() does, if tile.cut is not 0,
 * and measures orbits. */
TS_FN void ts_render_bounded(int formula, int general, const struct TsTile given,
                             TS_GLOBAL unsigned char* out, TS_GLOBAL struct TsStats* stats,
                             TS_IN_LOCAL TsBlockStats* block) {
  struct TsTile tile = given;
  TS_U32 column, row;
  if (!general) {
    tile.cut = 0;
    tile.flags &= ~(TS_U32)TS_MEASURES;
  }
  int has_pixel = ts_find_pixel(tile, &column, &row);
  const int continues = general && tile.left != 0;
  TsBoundedKept kept;
  if (continues) {
    const TS_U32 index = (TS_U32)TS_BLOCK() * TS_BLOCK_SIZE + TS_THREAD();
    has_pixel = index < tile.left;
    if (has_pixel) {
      kept = ((TS_GLOBAL const TsBoundedKept*)(out + tile.orbits_byte))[index];
      row = kept.orbit.pixel / tile.width;
      column = kept.orbit.pixel - row * tile.width;
    }
  }

  ts_begin_stats(block);
  if (has_pixel) {
    TS_GLOBAL const TsExactImage* image = (TS_GLOBAL const TsExactImage*)(out + tile.exact_byte);
    const TsLongPoint point = ts_exact_coordinates(tile, column, row, &image->plane);
    const double re = point.re.hi, im = point.im.hi;
    const TsBoundedWork work = ts_bounded_work(formula, tile, point, image);
    const TS_U64 at = tile.first + row * tile.stride_px + column;
    int measures = continues && kept.orbit.measures;
    int goes_on = 0;
    TS_U64 executed = 0;
    if (!measures) {
      TsBoundedPixel pixel = ts_bounded_pixel(work.limit);
      int state = TS_EXACT_GOES_ON;
      if (!continues) {
        kept.z = ts_begin_bounded(formula, work, re, im);
        if (ts_is_counted_at_once(formula, work, &kept.z)) state = TS_EXACT_COUNTED;
      }
      if (state == TS_EXACT_GOES_ON) {
        const TS_U64 pause = kept.z.n + (tile.cut != 0 ? tile.cut - 1 : 0xFFFFFFFFu);
        state = ts_follow_bounded(formula, work, pause, &kept.z, &pixel);
      }
      executed = pixel.executed;
      goes_on = state == TS_EXACT_GOES_ON;
      kept.orbit.measures = 0;
      if (!goes_on) {
        measures = ts_store_bounded(formula, tile, out, stats, at, state, pixel, block);
        if (measures) ts_begin_measure(formula, re, im, tile.step, &kept.orbit);
      }
    }
    if (general && measures) {
      const TsOrbitLimits limits = ts_orbit_limits(formula, tile);
      TsPixel pixel;
      goes_on = !ts_measure(formula, re, im, limits,
                            tile.cut != 0 ? ts_pause(kept.orbit.n, tile.cut) : 0xFFFFFFFFu,
                            &kept.orbit, &pixel);
      executed += pixel.executed;
      if (!goes_on) {
        ts_store_measured(tile, out, at, pixel.distance, pixel.gradient_x, pixel.gradient_y,
                          pixel.phase);
      }
    }
    ts_add_executed(block, executed);
    if (general && goes_on) {
      const TS_U32 place = TS_ATOMIC_ADD(&stats->kept, 1u) - tile.kept_before;
      kept.orbit.pixel = row * tile.width + column;
      ((TS_GLOBAL TsBoundedKept*)(out + tile.kept_byte))[place] = kept;
    }
  }
  ts_add_stats(block, stats);
}

/* One thread for each of tile.listed pixels that f64 has given up. The list has TS_NOT_OPEN in
 * place of those that are counted; TsStats::kept counts the others. */
TS_FN void ts_render_open(int formula, int general, const struct TsTile given,
                          TS_GLOBAL unsigned char* out, TS_GLOBAL struct TsStats* stats,
                          TS_IN_LOCAL TsBlockStats* block) {
  const TS_U32 index = (TS_U32)TS_BLOCK() * TS_BLOCK_SIZE + TS_THREAD();
  struct TsTile tile = given;
  if (!general) tile.flags &= ~(TS_U32)TS_MEASURES;
  ts_begin_stats(block);
  if (index < tile.listed) {
    TS_GLOBAL const TsExactImage* image = (TS_GLOBAL const TsExactImage*)(out + tile.exact_byte);
    TS_GLOBAL TS_U32* listed = (TS_GLOBAL TS_U32*)(out + tile.uncertain_byte) + index;
    const TS_U32 at = *listed;
    const TS_U32 row = at / (TS_U32)tile.stride_px;
    const TS_U32 column = at - row * (TS_U32)tile.stride_px;
    const TsLongPoint point = ts_exact_coordinates(tile, column, row, &image->plane);
    const TsBoundedWork work = ts_bounded_work(formula, tile, point, image);
    const TS_U64 open_at = ts_load(out + tile.iterations_byte + at * tile.iterations_pixel_step,
                                   tile.iterations_byte_step, tile.iterations_bytes);
    TsMoving moving;
    TsBoundedPixel pixel;
    const int state = ts_follow_open(formula, work, point, open_at, &moving, &pixel);
    ts_add_executed(block, pixel.executed);
    if (state == TS_EXACT_COUNTED) {
      *listed = TS_NOT_OPEN;
      if (ts_store_counted(formula, tile, out, at, pixel, block)) {
        TsPixel values;
        ts_set_measured(formula, ts_orbit_limits(formula, tile), moving, pixel.radius2, &values);
        ts_store_measured(tile, out, at, values.distance, values.gradient_x, values.gradient_y,
                          values.phase);
      }
    } else {
      TS_ATOMIC_ADD(&stats->kept, 1u);
    }
  }
  ts_add_stats(block, stats);
}
