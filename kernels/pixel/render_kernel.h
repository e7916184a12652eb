/* The kernels of the GPUs, written once in the subset that CUDA C++ and OpenCL C share. An entry
 * file (cuda.cu, opencl.cl) defines the number type of kernels/pixel/mandelbrot.h and
 *
 *   TS_KERNEL TS_GLOBAL TS_LOCAL         qualifiers of kernels, global and group memory
 *   TS_GROUP() TS_GROUPS() TS_THREAD()   which group, of how many, which thread in it
 *   TS_BARRIER()                         all threads of the group have come this far
 *   TS_ATOMIC_ADD TS_ATOMIC_MIN TS_ATOMIC_MAX(p, v)
 *                                        on a TS_U32 in global memory; the value before
 *   TS_FLOAT_BITS(v)                     the bits of a float
 *
 * and then includes kernels/pixel/tile.h and this text. */

#include "kernels/pixel/mandelbrot.h"

typedef struct {
  TS_U64 executed; /* orbit steps carried out */
  TS_U32 iterations;
  float smooth;
} TsPixel;

/* Multipliers below this are surely attracting, rounding included (docs/numerics.md). */
#define TS_SURELY_INSIDE 0.99999
/* |z|^2 from which the smooth count is taken. */
#define TS_SMOOTH_RADIUS2 65536.0

TS_FN int ts_surely_inside(double c_re, double c_im) {
  if (ts_disc_multiplier2(c_re, c_im) < TS_SURELY_INSIDE) return 1;
  return ts_cardioid_test(c_re, c_im) < 0.0 &&
         ts_cardioid_multiplier2(c_re, c_im) < TS_SURELY_INSIDE;
}

/* Pixels for which |z| > 2 alone does not show that |z| will grow. */
TS_FN int ts_near_edge(double c_re, double c_im) {
  const double off = ts_sub(ts_radius2(c_re, c_im), 4.0);
  return off < 1e-12 && off > -1e-12;
}

/* An earlier z of an orbit, renewed now and then: Brent (1980). */
typedef struct {
  double x, y;
  TS_U32 n, next; /* of the z; from which n on it is renewed */
} TsSaved;

/* Back at the earlier z, bit for bit: round for ever. Compared as bits, which leaves the
 * floating-point pipe to the orbit. Otherwise renews it when it is time. */
TS_FN int ts_returned(TsSaved* saved, double x, double y, TS_U32 n, TS_U32 limit) {
  if (n == saved->n) return 0;
  if (ts_to_bits(x) == ts_to_bits(saved->x) && ts_to_bits(y) == ts_to_bits(saved->y)) return 1;
  if (n >= saved->next) {
    saved->x = x;
    saved->y = y;
    saved->n = n;
    saved->next = n + n / 2 < n ? limit : n + n / 2;
  }
  return 0;
}

#define TS_4_STEPS             \
  ts_step(&x, &y, c_re, c_im); \
  ts_step(&x, &y, c_re, c_im); \
  ts_step(&x, &y, c_re, c_im); \
  ts_step(&x, &y, c_re, c_im)

/* The pixel at c. |z| is looked at every 16 steps; the block in which it left is run again from its
 * first z with a look at every step. So are the last steps before N. */
TS_FN TsPixel ts_orbit(double c_re, double c_im, TS_U32 limit, double bailout2, TS_U32 flags) {
  const int want_smooth = (flags & TS_SMOOTH) != 0;
  const int shortcuts = (flags & TS_SHORTCUTS) != 0;
  TsPixel pixel;
  pixel.executed = 0;
  pixel.iterations = limit;
  pixel.smooth = (float)limit;
  if (shortcuts && bailout2 >= 4.0 && ts_surely_inside(c_re, c_im)) return pixel;

  const double detect2 = want_smooth && bailout2 > TS_SMOOTH_RADIUS2 ? TS_SMOOTH_RADIUS2 : bailout2;
  const TS_U32 last = limit - 1;     /* the last n that is tested */
  double x = c_re, y = c_im;         /* z_1 = c; z_0 = 0 is inside */
  TsSaved saved = {0.0, 0.0, 0, 16}; /* z_0 */
  TS_U32 n = 1;
  if (!(flags & TS_CAREFUL) && !ts_near_edge(c_re, c_im)) {
    while (last >= 16 && n <= last - 16) {
      const double before_x = x, before_y = y;
      TS_4_STEPS;
      TS_4_STEPS;
      TS_4_STEPS;
      TS_4_STEPS;
      pixel.executed += 16;
      if (!(ts_radius2(x, y) <= detect2)) { /* NaN is outside too */
        x = before_x;
        y = before_y;
        break;
      }
      n += 16;
      if (shortcuts && ts_returned(&saved, x, y, n, limit)) return pixel;
    }
  }

  int smooth_found = !want_smooth;
  TS_U64 m = 0;
  double m_radius2 = 0.0;
  for (; n <= last; ++n) {
    const double radius2 = ts_radius2(x, y);
    if (!smooth_found && radius2 > TS_SMOOTH_RADIUS2) {
      smooth_found = 1;
      m = n;
      m_radius2 = radius2;
    }
    if (radius2 > bailout2) break;
    if (shortcuts && ts_returned(&saved, x, y, n, limit)) return pixel;
    ts_step(&x, &y, c_re, c_im);
    pixel.executed += 1;
  }
  if (n > last) return pixel;
  pixel.iterations = n;
  if (want_smooth) {
    for (m = smooth_found ? m : n; !smooth_found;) {
      ts_step(&x, &y, c_re, c_im);
      pixel.executed += 1;
      m += 1;
      m_radius2 = ts_radius2(x, y);
      smooth_found = !(m_radius2 <= TS_SMOOTH_RADIUS2);
    }
    pixel.smooth = (float)ts_smooth((double)m, m_radius2);
  }
  return pixel;
}

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

/* One thread a pixel, one group 8 x 8 pixels; groups run row by row in a grid of one dimension,
 * which has no limit of 65535. A warp is 8 x 4 pixels, whose orbits are of like length. */
TS_KERNEL void ts_render(const struct TsTile tile, TS_GLOBAL unsigned char* out,
                         TS_GLOBAL struct TsStats* stats) {
  TS_LOCAL TS_U64 group_iterations[TS_GROUP_SIZE];
  TS_LOCAL TS_U64 group_executed[TS_GROUP_SIZE];
  TS_LOCAL TS_U32 group_least[TS_GROUP_SIZE];
  TS_LOCAL TS_U32 group_most[TS_GROUP_SIZE];
  const TS_U32 thread = TS_THREAD();
  const TS_U32 groups_in_row = (tile.width + TS_GROUP_EDGE - 1) / TS_GROUP_EDGE;
  const TS_U32 group_row = (TS_U32)TS_GROUP() / groups_in_row;
  const TS_U32 group_column = (TS_U32)TS_GROUP() - group_row * groups_in_row;
  const TS_U32 column = group_column * TS_GROUP_EDGE + thread % TS_GROUP_EDGE;
  const TS_U32 row = group_row * TS_GROUP_EDGE + thread / TS_GROUP_EDGE;

  group_iterations[thread] = 0;
  group_executed[thread] = 0;
  group_least[thread] = 0xFFFFFFFFu;
  group_most[thread] = 0;
  if (column < tile.width && row < tile.height) {
    const double c_re =
        ts_column_re((double)(tile.x + column), tile.half_width_px, tile.step, tile.center_re);
    const double c_im =
        ts_row_im((double)(tile.y + row), tile.half_height_px, tile.step, tile.center_im);
    const TsPixel pixel = ts_orbit(c_re, c_im, tile.iterations, tile.bailout2, tile.flags);
    const TS_U64 at = tile.first + row * tile.stride_px + column;
    ts_store(out + tile.iterations_byte + at * tile.iterations_pixel_step,
             tile.iterations_byte_step, tile.iterations_bytes, pixel.iterations);
    if (tile.flags & TS_SMOOTH) {
      ts_store(out + tile.smooth_byte + at * tile.smooth_pixel_step, tile.smooth_byte_step, 4,
               TS_FLOAT_BITS(pixel.smooth));
    }
    group_iterations[thread] = pixel.iterations;
    group_executed[thread] = pixel.executed;
    group_least[thread] = group_most[thread] = pixel.iterations;
  }
  for (TS_U32 reach = TS_GROUP_SIZE / 2; reach > 0; reach /= 2) {
    TS_BARRIER();
    if (thread < reach) {
      const TS_U32 other = thread + reach;
      group_iterations[thread] += group_iterations[other];
      group_executed[thread] += group_executed[other];
      if (group_least[other] < group_least[thread]) group_least[thread] = group_least[other];
      if (group_most[other] > group_most[thread]) group_most[thread] = group_most[other];
    }
  }
  if (thread == 0) {
    TS_GLOBAL struct TsStats* slot = &stats[(TS_U32)TS_GROUP() % TS_STATS_SLOTS];
    ts_add_64(slot->iterations, group_iterations[0]);
    ts_add_64(slot->executed, group_executed[0]);
    TS_ATOMIC_MIN(&slot->least, group_least[0]);
    TS_ATOMIC_MAX(&slot->most, group_most[0]);
  }
}

/* Arrays for `tessera bench` (src/device/probe.hpp). Grid-stride loops: any size, any grid. */

TS_KERNEL void ts_fill(TS_GLOBAL double* a, TS_GLOBAL double* b, TS_U64 count) {
  const TS_U64 stride = (TS_U64)TS_GROUPS() * TS_GROUP_SIZE;
  for (TS_U64 i = (TS_U64)TS_GROUP() * TS_GROUP_SIZE + TS_THREAD(); i < count; i += stride) {
    a[i] = (double)(i % 1024);
    b[i] = (double)(3 * (i % 512));
  }
}

TS_KERNEL void ts_add_arrays(TS_GLOBAL const double* a, TS_GLOBAL const double* b,
                             TS_GLOBAL double* c, TS_U64 count) {
  const TS_U64 stride = (TS_U64)TS_GROUPS() * TS_GROUP_SIZE;
  for (TS_U64 i = (TS_U64)TS_GROUP() * TS_GROUP_SIZE + TS_THREAD(); i < count; i += stride) {
    c[i] = ts_add(a[i], b[i]);
  }
}

/* partial[group] = the sum of the group's share; exact, because all sums are small integers. */
TS_KERNEL void ts_sum_array(TS_GLOBAL const double* a, TS_GLOBAL double* partial, TS_U64 count) {
  TS_LOCAL double sums[TS_GROUP_SIZE];
  const TS_U32 thread = TS_THREAD();
  const TS_U64 stride = (TS_U64)TS_GROUPS() * TS_GROUP_SIZE;
  double sum = 0.0;
  for (TS_U64 i = (TS_U64)TS_GROUP() * TS_GROUP_SIZE + thread; i < count; i += stride) {
    sum = ts_add(sum, a[i]);
  }
  sums[thread] = sum;
  for (TS_U32 reach = TS_GROUP_SIZE / 2; reach > 0; reach /= 2) {
    TS_BARRIER();
    if (thread < reach) sums[thread] = ts_add(sums[thread], sums[thread + reach]);
  }
  if (thread == 0) partial[TS_GROUP()] = sums[0];
}
