/* The parts of all kernels that render: a thread's pixel, how its values are stored, and sums over
 * the pixels. In the common subset of CUDA C++ and OpenCL C. An entry file defines
 *
 *   TS_KERNEL TS_GLOBAL TS_LOCAL         qualifiers of kernels, global and shared memory
 *   TS_IN_LOCAL                          qualifier of the target of a pointer to shared memory
 *   TS_BLOCK() TS_BLOCKS() TS_THREAD()   block number, number of blocks, thread number in the block
 *   TS_BARRIER()                         barrier for all threads of the block
 *   TS_ATOMIC_ADD TS_ATOMIC_MIN TS_ATOMIC_MAX(p, v)
 *                                        on a TS_U32 in global memory; returns the old value
 *   TS_ATOMIC_ADD_LOCAL TS_ATOMIC_MIN_LOCAL TS_ATOMIC_MAX_LOCAL(p, v)
 *                                        the same in shared memory, without the old value
 *   TS_FLOAT_BITS(v)                     the bits of a float
 *
 * and includes kernels/pixel/tile.h. */

TS_FN void ts_store(TS_GLOBAL unsigned char* out, TS_U64 byte_step, TS_U32 bytes, TS_U64 value) {
  out[0] = (unsigned char)value;
  out[byte_step] = (unsigned char)(value >> 8);
  for (TS_U32 b = 2; b < bytes; ++b) out[b * byte_step] = (unsigned char)(value >> 8 * b);
}

TS_FN TS_U64 ts_load(TS_GLOBAL const unsigned char* from, TS_U64 byte_step, TS_U32 bytes) {
  TS_U64 value = 0;
  for (TS_U32 b = 0; b < bytes; ++b) value |= (TS_U64)from[b * byte_step] << 8 * b;
  return value;
}

TS_FN void ts_add_64(TS_GLOBAL TS_U32* sum, TS_U64 value) {
  const TS_U32 low = (TS_U32)value;
  const TS_U32 before = TS_ATOMIC_ADD(&sum[0], low);
  const TS_U32 high = (TS_U32)(value >> 32) + (before + low < before ? 1 : 0);
  if (high != 0) TS_ATOMIC_ADD(&sum[1], high);
}

/* Sums over the pixels of a block, in its memory. A sum is in parts of TS_PART_BITS bits, whose
 * sums over the threads have 32. */
#define TS_PART_BITS 24
typedef struct {
  TS_U32 iterations[3], executed[3];
  TS_U32 least, most;
} TsBlockStats;

/* Before a thread has a pixel; all threads come here, and to ts_add_stats(). */
TS_FN void ts_begin_stats(TS_IN_LOCAL TsBlockStats* block) {
  if (TS_THREAD() == 0) {
    for (TS_U32 part = 0; part < 3; ++part) block->iterations[part] = block->executed[part] = 0;
    block->least = 0xFFFFFFFFu;
    block->most = 0;
  }
  TS_BARRIER();
}

TS_FN void ts_add_parts(TS_IN_LOCAL TS_U32* parts, TS_U64 value) {
  TS_ATOMIC_ADD_LOCAL(&parts[0], (TS_U32)value & ((1u << TS_PART_BITS) - 1));
  if (value >> TS_PART_BITS == 0) return;
  TS_ATOMIC_ADD_LOCAL(&parts[1], (TS_U32)(value >> TS_PART_BITS) & ((1u << TS_PART_BITS) - 1));
  TS_ATOMIC_ADD_LOCAL(&parts[2], (TS_U32)(value >> 2 * TS_PART_BITS));
}

TS_FN TS_U64 ts_joined_parts(TS_IN_LOCAL const TS_U32* parts) {
  return parts[0] + ((TS_U64)parts[1] << TS_PART_BITS) + ((TS_U64)parts[2] << 2 * TS_PART_BITS);
}

TS_FN void ts_add_executed(TS_IN_LOCAL TsBlockStats* block, TS_U64 executed) {
  ts_add_parts(block->executed, executed);
}

/* Adds the sums of the block to its slot. */
TS_FN void ts_add_stats(TS_IN_LOCAL TsBlockStats* block, TS_GLOBAL struct TsStats* stats) {
  TS_BARRIER();
  if (TS_THREAD() == 0) {
    TS_GLOBAL struct TsStats* slot = &stats[(TS_U32)TS_BLOCK() % TS_STATS_SLOTS];
    ts_add_64(slot->iterations, ts_joined_parts(block->iterations));
    ts_add_64(slot->executed, ts_joined_parts(block->executed));
    TS_ATOMIC_MIN(&slot->least, block->least);
    TS_ATOMIC_MAX(&slot->most, block->most);
  }
}

/* The n at which a launch leaves an orbit that is at n. */
TS_FN TS_U32 ts_pause(TS_U32 n, TS_U32 cut) {
  return n + (cut - 1) < n ? 0xFFFFFFFFu : n + (cut - 1);
}

/* The column and row of a thread's pixel in a launch that starts pixels.
 * The blocks are numbered row by row in a one-dimensional grid, because other dimensions are
 * limited to 65535. A warp has 8 x 4 pixels, whose orbits have similar lengths. Returns 0 if the
 * thread has no pixel. */
TS_FN int ts_find_pixel(const struct TsTile tile, TS_U32* column, TS_U32* row) {
  const TS_U32 thread = TS_THREAD();
  const TS_U32 blocks_in_row = (tile.width + TS_BLOCK_COLUMNS - 1) / TS_BLOCK_COLUMNS;
  /* The quotient, or 1 less: a division takes as long as several iterations. */
  TS_U32 block_row = (TS_U32)((TS_U64)(TS_U32)TS_BLOCK() * tile.row_reciprocal >> 32);
  TS_U32 block_column = (TS_U32)TS_BLOCK() - block_row * blocks_in_row;
  if (block_column >= blocks_in_row) {
    block_row += 1;
    block_column -= blocks_in_row;
  }
  *column = block_column * TS_BLOCK_COLUMNS + thread % TS_BLOCK_COLUMNS;
  *row = block_row * TS_BLOCK_ROWS + thread / TS_BLOCK_COLUMNS;
  return *column < tile.width && *row < tile.height;
}

TS_FN void ts_store_value(const struct TsTile tile, int field, TS_GLOBAL unsigned char* out,
                          TS_U64 at, float value) {
  ts_store(out + tile.value_byte[field] + at * tile.value_pixel_step, tile.value_byte_step, 4,
           TS_FLOAT_BITS(value));
}

/* Stores the values of a pixel that need neither z_m nor its derivative. */
TS_FN void ts_store_pixel(const struct TsTile tile, TS_GLOBAL unsigned char* out, TS_U64 at,
                          TS_U64 iterations, float smooth, float fraction) {
  ts_store(out + tile.iterations_byte + at * tile.iterations_pixel_step, tile.iterations_byte_step,
           tile.iterations_bytes, iterations);
  if (tile.flags & TS_SMOOTH) ts_store_value(tile, TS_OF_SMOOTH, out, at, smooth);
  if (tile.flags & TS_FRACTION) ts_store_value(tile, TS_OF_FRACTION, out, at, fraction);
}

/* Stores those that do. */
TS_FN void ts_store_measured(const struct TsTile tile, TS_GLOBAL unsigned char* out, TS_U64 at,
                             float distance, float gradient_x, float gradient_y, float phase) {
  if (tile.flags & TS_DISTANCE) ts_store_value(tile, TS_OF_DISTANCE, out, at, distance);
  if (tile.flags & TS_GRADIENT_X) ts_store_value(tile, TS_OF_GRADIENT_X, out, at, gradient_x);
  if (tile.flags & TS_GRADIENT_Y) ts_store_value(tile, TS_OF_GRADIENT_Y, out, at, gradient_y);
  if (tile.flags & TS_ANGLE) ts_store_value(tile, TS_OF_PHASE, out, at, phase);
}

/* As ts_store_pixel(), and notes the values for the sums. The extremes
 * have 32 bits; counts of 8 bytes tell only whether all are inside. */
TS_FN void ts_put_pixel(const struct TsTile tile, TS_GLOBAL unsigned char* out, TS_U64 at,
                        TS_U64 iterations, float smooth, float fraction, int inside,
                        TS_IN_LOCAL TsBlockStats* block) {
  ts_store_pixel(tile, out, at, iterations, smooth, fraction);
  ts_add_parts(block->iterations, iterations);
  if (tile.iterations_bytes <= 4) {
    TS_ATOMIC_MIN_LOCAL(&block->least, (TS_U32)iterations);
    TS_ATOMIC_MAX_LOCAL(&block->most, (TS_U32)iterations);
  } else {
    TS_ATOMIC_MIN_LOCAL(&block->least, inside ? TS_WIDE_INSIDE : 0u);
    TS_ATOMIC_MAX_LOCAL(&block->most, TS_WIDE_INSIDE);
  }
}
