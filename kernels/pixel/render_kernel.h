/* The kernels that render a block of pixels, in the common subset of CUDA C++ and OpenCL C. An
 * entry file (cuda/pixels.cu, opencl/pixels.cl) defines the number type of
 * kernels/pixel/pixel_math.h and what kernels/pixel/launch.h needs, and then includes
 * kernels/pixel/formulas.h, kernels/pixel/tile.h, kernels/pixel/launch.h and this file. */

/* clang-format off */
#include "kernels/pixel/escape.h"
#include "kernels/pixel/bounds.h"
#include "kernels/pixel/bounded_steps.h"
/* clang-format on */

TS_FN TsOrbitLimits ts_orbit_limits(int formula, const struct TsTile tile) {
  TsOrbitLimits limits;
  limits.bailout2 = tile.bailout2;
  limits.constant_re = tile.constant_re;
  limits.constant_im = tile.constant_im;
  limits.limit = tile.iterations;
  limits.flags = tile.flags;
  limits.degree = ts_degree_of(formula, (int)tile.degree);
  limits.step = tile.step;
  limits.turn = tile.turn;
  return limits;
}

/* One thread per pixel. `flags` are those of the tile, as a constant where the kernel has one.
 *
 * If `cut`, the launch leaves orbits after tile.cut iterations and keeps them, one after another,
 * in any order. The next launch continues tile.left of them, one thread each. Of a pixel with
 * TS_MEASURES, the orbit goes twice: to its count, and then with its derivative. */
TS_FN void ts_render(int formula, TS_U32 flags, int cut, const struct TsTile given,
                     TS_GLOBAL unsigned char* out, TS_GLOBAL struct TsStats* stats,
                     TS_IN_LOCAL TsBlockStats* block) {
  struct TsTile tile = given;
  TS_U32 column, row;
  tile.flags = flags;
  int has_pixel = ts_find_pixel(tile, &column, &row);
  const int continues = cut && tile.left != 0;
  struct TsOrbit orbit;
  if (continues) {
    const TS_U32 index = (TS_U32)TS_BLOCK() * TS_BLOCK_SIZE + TS_THREAD();
    has_pixel = index < tile.left;
    if (has_pixel) {
      orbit = ((TS_GLOBAL const struct TsOrbit*)(out + tile.orbits_byte))[index];
      row = orbit.pixel / tile.width;
      column = orbit.pixel - row * tile.width;
    }
  }

  ts_begin_stats(block);
  if (has_pixel) {
    const double u = ts_column_offset(tile.x + (double)column, tile.half_width_px);
    const double v = ts_row_offset(tile.y + (double)row, tile.half_height_px);
    const double re = ts_coordinate(u, tile.right_re, v, tile.up_re, tile.center_re);
    const double im = ts_coordinate(u, tile.right_im, v, tile.up_im, tile.center_im);
    const TsOrbitLimits limits = ts_orbit_limits(formula, tile);
    const TS_U64 at = tile.first + row * tile.stride_px + column;
    int measures = continues && orbit.measures;
    int done = 0;
    TS_U64 executed = 0;
    TsPixel pixel;
    if (!measures) {
      done = !continues && ts_begin(formula, re, im, limits, &orbit, &pixel);
      if (!done) {
        const TS_U32 pause = cut ? ts_pause(orbit.n, tile.cut) : 0xFFFFFFFFu;
        done = ts_advance(formula, re, im, limits, pause, &orbit, &pixel);
      }
      executed = pixel.executed;
      if (!cut || done) {
        ts_put_pixel(tile, out, at, pixel.iterations, pixel.smooth, pixel.fraction, 0, block);
        if (tile.flags & TS_MEASURES) {
          measures = pixel.iterations != tile.iterations;
          if (measures) {
            ts_begin_measure(formula, re, im, tile.step, &orbit);
          } else {
            ts_store_measured(tile, out, at, 0.0f, 0.0f, 0.0f, 0.0f);
          }
        }
      }
    }
    if (measures) {
      const TS_U32 pause = cut ? ts_pause(orbit.n, tile.cut) : 0xFFFFFFFFu;
      done = ts_measure(formula, re, im, limits, pause, &orbit, &pixel);
      executed += pixel.executed;
      if (done) {
        ts_store_measured(tile, out, at, pixel.distance, pixel.gradient_x, pixel.gradient_y,
                          pixel.phase);
      }
    }
    ts_add_executed(block, executed);
    if (cut && !done) {
      const TS_U32 place = TS_ATOMIC_ADD(&stats->kept, 1u) - tile.kept_before;
      orbit.pixel = row * tile.width + column;
      ((TS_GLOBAL struct TsOrbit*)(out + tile.kept_byte))[place] = orbit;
    }
  }
  ts_add_stats(block, stats);
}

#include "kernels/pixel/bounded_kernel.h"

#define TS_RENDER(id, flags, cut) ts_render(TS_FORMULA_##id, flags, cut, tile, out, stats, &block)
#define TS_RENDER_BOUNDED(id, general) \
  ts_render_bounded(TS_FORMULA_##id, general, tile, out, stats, &block)
#define TS_RENDER_OPEN(id, general) \
  ts_render_open(TS_FORMULA_##id, general, tile, out, stats, &block)
#define TS_RENDER_KERNEL(id, kind, call)                                                         \
  TS_KERNEL void ts_render_##id##_##kind(const struct TsTile tile, TS_GLOBAL unsigned char* out, \
                                         TS_GLOBAL struct TsStats* stats) {                      \
    TS_LOCAL TsBlockStats block;                                                                 \
    call;                                                                                        \
  }

/* An entry that defines TS_ONE_KERNEL, as TS_RENDER_KERNEL(id, kind, call), has only that one. */
#ifdef TS_ONE_KERNEL
TS_ONE_KERNEL
#else
#define TS_ROW(id, name, parameter, surely_inside, fold) TS_RENDER_KINDS(TS_RENDER_KERNEL, id)
TS_FORMULAS(TS_ROW)
#undef TS_ROW
#endif
