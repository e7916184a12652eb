/* What all kernels that render have: a thread's pixel, how its values are stored, and sums over the
 * pixels. In the common subset of CUDA C++ and OpenCL C. An entry file defines
 *
 *   TS_KERNEL TS_GLOBAL TS_LOCAL         qualifiers of kernels, global and group memory
 *   TS_IN_LOCAL                          qualifier of the target of a pointer to group memory
 *   TS_GROUP() TS_GROUPS() TS_THREAD()   group number, number of groups, thread number in the group
 *   TS_BARRIER()                         barrier for all threads of the group
 *   TS_ATOMIC_ADD TS_ATOMIC_MIN TS_ATOMIC_MAX(p, v)
 *                                        on a TS_U32 in global memory; returns the old value
 *   TS_FLOAT_BITS(v)                     the bits of a float
 *
 * and includes kernels/pixel/tile.h. */

TS_FN void ts_store(TS_GLOBAL unsigned char* out, TS_U64 byte_step, TS_U32 bytes, TS_U64 value) {
  out[0] = (unsigned char)value;
  out[byte_step] = (unsigned char)(value >> 8);
  for (TS_U32 b = 2; b < bytes; ++b) out[b * byte_step] = (unsigned char)(value >> 8 * b);
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

/* Before a thread has a pixel. */
TS_FN void ts_begin_stats(TS_IN_LOCAL TsGroupStats* group) {
  const TS_U32 thread = TS_THREAD();
  group->iterations[thread] = 0;
  group->executed[thread] = 0;
  group->least[thread] = 0xFFFFFFFFu;
  group->most[thread] = 0;
}

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

/* The column and row of a thread's pixel in a launch that starts pixels: 8 x 8 pixels per group.
 * The groups are numbered row by row in a one-dimensional grid, because other dimensions are
 * limited to 65535. A warp has 8 x 4 pixels, whose orbits have similar lengths. Returns 0 if the
 * thread has no pixel. */
TS_FN int ts_find_pixel(const struct TsTile tile, TS_U32* column, TS_U32* row) {
  const TS_U32 thread = TS_THREAD();
  const TS_U32 groups_in_row = (tile.width + TS_GROUP_EDGE - 1) / TS_GROUP_EDGE;
  const TS_U32 group_row = (TS_U32)TS_GROUP() / groups_in_row;
  const TS_U32 group_column = (TS_U32)TS_GROUP() - group_row * groups_in_row;
  *column = group_column * TS_GROUP_EDGE + thread % TS_GROUP_EDGE;
  *row = group_row * TS_GROUP_EDGE + thread / TS_GROUP_EDGE;
  return *column < tile.width && *row < tile.height;
}

/* Stores the values of a pixel but its distance. */
TS_FN void ts_store_pixel(const struct TsTile tile, TS_GLOBAL unsigned char* out, TS_U64 at,
                          TS_U64 iterations, float smooth) {
  ts_store(out + tile.iterations_byte + at * tile.iterations_pixel_step, tile.iterations_byte_step,
           tile.iterations_bytes, iterations);
  if (tile.flags & TS_SMOOTH) {
    ts_store(out + tile.smooth_byte + at * tile.smooth_pixel_step, tile.smooth_byte_step, 4,
             TS_FLOAT_BITS(smooth));
  }
}

TS_FN void ts_store_distance(const struct TsTile tile, TS_GLOBAL unsigned char* out, TS_U64 at,
                             float distance) {
  ts_store(out + tile.distance_byte + at * tile.distance_pixel_step, tile.distance_byte_step, 4,
           TS_FLOAT_BITS(distance));
}

/* Stores the values of a pixel but its distance and notes them for the sums. The extremes have 32
 * bits; counts of 8 bytes tell only whether all are inside. */
TS_FN void ts_put_pixel(const struct TsTile tile, TS_GLOBAL unsigned char* out, TS_U64 at,
                        TS_U64 iterations, float smooth, int inside,
                        TS_IN_LOCAL TsGroupStats* group) {
  const TS_U32 thread = TS_THREAD();
  ts_store_pixel(tile, out, at, iterations, smooth);
  group->iterations[thread] = iterations;
  if (tile.iterations_bytes <= 4) {
    group->least[thread] = group->most[thread] = (TS_U32)iterations;
  } else {
    group->least[thread] = inside ? TS_WIDE_INSIDE : 0u;
    group->most[thread] = TS_WIDE_INSIDE;
  }
}
