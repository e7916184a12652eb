/* The kernels that render a block of pixels, one for each formula, in the common subset of CUDA C++
 * and OpenCL C. An entry file (cuda/pixels.cu, opencl/pixels.cl) defines the number type of
 * kernels/pixel/pixel_math.h and
 *
 *   TS_KERNEL TS_GLOBAL TS_LOCAL         qualifiers of kernels, global and group memory
 *   TS_IN_LOCAL                          qualifier of the target of a pointer to group memory
 *   TS_GROUP() TS_GROUPS() TS_THREAD()   group number, number of groups, thread number in the group
 *   TS_BARRIER()                         barrier for all threads of the group
 *   TS_ATOMIC_ADD TS_ATOMIC_MIN TS_ATOMIC_MAX(p, v)
 *                                        on a TS_U32 in global memory; returns the old value
 *   TS_FLOAT_BITS(v)                     the bits of a float
 *
 * and then includes kernels/pixel/formulas.h, kernels/pixel/tile.h and this file. */

#include "kernels/pixel/escape.h"

TS_FN void ts_store(TS_GLOBAL unsigned char* out, TS_U64 byte_step, TS_U32 bytes, TS_U32 value) {
  out[0] = (unsigned char)value;
  out[byte_step] = (unsigned char)(value >> 8);
  if (bytes == 4) {
    out[2 * byte_step] = (unsigned char)(value >> 16);
    out[3 * byte_step] = (unsigned char)(value >> 24);
  }
}

TS_FN void ts_add_64(TS_GLOBAL TS_U32* sum, TS_U64 value) {
  const TS_U32 low = (TS_U32)value;
  const TS_U32 before = TS_ATOMIC_ADD(&sum[0], low);
  const TS_U32 high = (TS_U32)(value >> 32) + (before + low < before ? 1 : 0);
  if (high != 0) TS_ATOMIC_ADD(&sum[1], high);
}

/* Values of the threads of a group, which are combined and added to TsStats. */
typedef struct {
  TS_U64 iterations[TS_GROUP_SIZE];
  TS_U64 executed[TS_GROUP_SIZE];
  TS_U32 least[TS_GROUP_SIZE];
  TS_U32 most[TS_GROUP_SIZE];
} TsGroupStats;

/* Adds the values of all threads of the group to its slot. */
TS_FN void ts_add_stats(TS_IN_LOCAL TsGroupStats* group, TS_GLOBAL struct TsStats* stats) {
  const TS_U32 thread = TS_THREAD();
  for (TS_U32 reach = TS_GROUP_SIZE / 2; reach > 0; reach /= 2) {
    TS_BARRIER();
    if (thread < reach) {
      const TS_U32 other = thread + reach;
      group->iterations[thread] += group->iterations[other];
      group->executed[thread] += group->executed[other];
      if (group->least[other] < group->least[thread]) group->least[thread] = group->least[other];
      if (group->most[other] > group->most[thread]) group->most[thread] = group->most[other];
    }
  }
  if (thread == 0) {
    TS_GLOBAL struct TsStats* slot = &stats[(TS_U32)TS_GROUP() % TS_STATS_SLOTS];
    ts_add_64(slot->iterations, group->iterations[0]);
    ts_add_64(slot->executed, group->executed[0]);
    TS_ATOMIC_MIN(&slot->least, group->least[0]);
    TS_ATOMIC_MAX(&slot->most, group->most[0]);
  }
}

/* The n at which a launch leaves an orbit that is at n. */
TS_FN TS_U32 ts_pause(TS_U32 n, TS_U32 cut) {
  return n + (cut - 1) < n ? 0xFFFFFFFFu : n + (cut - 1);
}

/* One thread per pixel, 8 x 8 pixels per group. The groups are numbered row by row in a
 * one-dimensional grid, because other dimensions are limited to 65535. A warp has 8 x 4 pixels,
 * whose orbits have similar lengths.
 *
 * If `cut`, the launch leaves orbits after tile.cut iterations and keeps them, one after another,
 * in any order. The next launch continues tile.left of them, one thread each. */
TS_FN void ts_render(int formula, int cut, const struct TsTile tile, TS_GLOBAL unsigned char* out,
                     TS_GLOBAL struct TsStats* stats, TS_IN_LOCAL TsGroupStats* group) {
  const TS_U32 thread = TS_THREAD();
  const TS_U32 groups_in_row = (tile.width + TS_GROUP_EDGE - 1) / TS_GROUP_EDGE;
  const TS_U32 group_row = (TS_U32)TS_GROUP() / groups_in_row;
  const TS_U32 group_column = (TS_U32)TS_GROUP() - group_row * groups_in_row;
  TS_U32 column = group_column * TS_GROUP_EDGE + thread % TS_GROUP_EDGE;
  TS_U32 row = group_row * TS_GROUP_EDGE + thread / TS_GROUP_EDGE;
  int has_pixel = column < tile.width && row < tile.height;
  const int continues = cut && tile.left != 0;
  struct TsOrbit orbit;
  if (continues) {
    const TS_U32 index = (TS_U32)TS_GROUP() * TS_GROUP_SIZE + thread;
    has_pixel = index < tile.left;
    if (has_pixel) {
      orbit = ((TS_GLOBAL const struct TsOrbit*)(out + tile.orbits_byte))[index];
      row = orbit.pixel / tile.width;
      column = orbit.pixel - row * tile.width;
    }
  }

  group->iterations[thread] = 0;
  group->executed[thread] = 0;
  group->least[thread] = 0xFFFFFFFFu;
  group->most[thread] = 0;
  if (has_pixel) {
    const double re =
        ts_column_re((double)(tile.x + column), tile.half_width_px, tile.step, tile.center_re);
    const double im =
        ts_row_im((double)(tile.y + row), tile.half_height_px, tile.step, tile.center_im);
    TsOrbitLimits limits;
    limits.bailout2 = tile.bailout2;
    limits.constant_re = tile.constant_re;
    limits.constant_im = tile.constant_im;
    limits.limit = tile.iterations;
    limits.flags = tile.flags;
    limits.degree = ts_degree_of(formula, (int)tile.degree);
    TsPixel pixel;
    int done = !continues && ts_begin(formula, re, im, limits, &orbit, &pixel);
    if (!done) {
      const TS_U32 pause = cut ? ts_pause(orbit.n, tile.cut) : 0xFFFFFFFFu;
      done = ts_advance(formula, re, im, limits, pause, &orbit, &pixel);
    }
    group->executed[thread] = pixel.executed;
    if (!cut || done) {
      const TS_U64 at = tile.first + row * tile.stride_px + column;
      ts_store(out + tile.iterations_byte + at * tile.iterations_pixel_step,
               tile.iterations_byte_step, tile.iterations_bytes, pixel.iterations);
      if (tile.flags & TS_SMOOTH) {
        ts_store(out + tile.smooth_byte + at * tile.smooth_pixel_step, tile.smooth_byte_step, 4,
                 TS_FLOAT_BITS(pixel.smooth));
      }
      group->iterations[thread] = pixel.iterations;
      group->least[thread] = group->most[thread] = pixel.iterations;
    } else {
      const TS_U32 at = TS_ATOMIC_ADD(&stats->kept, 1u) - tile.kept_before;
      orbit.pixel = row * tile.width + column;
      ((TS_GLOBAL struct TsOrbit*)(out + tile.kept_byte))[at] = orbit;
    }
  }
  ts_add_stats(group, stats);
}

#define TS_ROW(id, name, parameter, surely_inside)                                          \
  TS_KERNEL void ts_render_##id(const struct TsTile tile, TS_GLOBAL unsigned char* out,     \
                                TS_GLOBAL struct TsStats* stats) {                          \
    TS_LOCAL TsGroupStats group;                                                            \
    ts_render(TS_FORMULA_##id, 0, tile, out, stats, &group);                                \
  }                                                                                         \
  TS_KERNEL void ts_render_cut_##id(const struct TsTile tile, TS_GLOBAL unsigned char* out, \
                                    TS_GLOBAL struct TsStats* stats) {                      \
    TS_LOCAL TsGroupStats group;                                                            \
    ts_render(TS_FORMULA_##id, 1, tile, out, stats, &group);                                \
  }
TS_FORMULAS(TS_ROW)
#undef TS_ROW
