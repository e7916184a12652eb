/* The parts that kernels of deep images share, for pixels of f64 or of more bits:
 * kernels/deep/f64.h or kernels/deep/f106.h comes first. An entry file defines what
 * kernels/pixel/launch.h needs, and
 *
 *   TS_APART                      qualifiers of functions that are not inlined
 *   TS_BY_ADDRESS                 qualifier of a kernel's argument whose address is taken
 *   TS_KERNEL_WITH(size, blocks)  qualifiers of a kernel of which a multiprocessor runs
 *                                 `blocks` blocks at a time */

/* 128 registers of an NVIDIA GPU for each thread; 168 in 106 bits, which spills none. */
#define TS_DEEP_KERNEL TS_KERNEL_WITH(TS_BLOCK_SIZE, 4)
#define TS_PRECISE_KERNEL TS_KERNEL_WITH(TS_BLOCK_SIZE, 3)

TS_FN TS_JUMPS ts_jumps_of(const struct TsDeepImage* image, TS_GLOBAL const unsigned char* table) {
  TS_JUMPS jumps;
  jumps.nodes = (TS_GLOBAL const TS_NODE*)table;
  jumps.entries = (TS_GLOBAL const TS_ENTRY*)(table + image->entries_byte);
  jumps.scaled_nodes = (TS_GLOBAL const TS_SCALED_NODE*)(table + image->scaled_nodes_byte);
  jumps.scaled_entries = (TS_GLOBAL const TS_SCALED_ENTRY*)(table + image->scaled_entries_byte);
  jumps.scaled_count = (TS_U32)image->scaled_count;
  return jumps;
}

/* A pixel before its first iteration. */
TS_FN void ts_begin_pixel(const struct TsTile tile, const struct TsDeepImage* image, TS_U32 column,
                          TS_U32 row, TS_PIXEL* pixel) {
  const double right = ((tile.x + (double)column) + 0.5) - tile.half_width_px;
  const double up = tile.half_height_px - ((tile.y + (double)row) + 0.5);
  ts_deep_start(&image->limits, image->unit_step, image->unit_step_low, image->unit_exponent, right,
                up, pixel);
  pixel->in_phase = 0;
}

/* Leaves a pixel for the next launch. */
TS_FN void ts_keep_pixel(const struct TsTile tile, TS_GLOBAL unsigned char* out,
                         TS_GLOBAL struct TsStats* stats, const TS_PIXEL* pixel) {
  const TS_U32 place = TS_ATOMIC_ADD(&stats->kept, 1u) - tile.kept_before;
  ((TS_GLOBAL TS_PIXEL*)(out + tile.kept_byte))[place] = *pixel;
}

/* Advances a pixel by tile.cut steps, and counts them. */
TS_FN TS_U32 ts_advance_counted(const int has_jumps, const struct TsTile tile,
                                const struct TsDeepImage* image,
                                TS_GLOBAL const unsigned char* table, double rounding,
                                TS_PIXEL* pixel, TS_IN_LOCAL TsBlockStats* block) {
  const TS_JUMPS jumps = ts_jumps_of(image, table);
  const TS_U64 before = pixel->steps + pixel->scaled_steps;
  const TS_U32 state = ts_advance_paused(has_jumps, &image->limits, &jumps, image->unit_exponent,
                                         rounding, tile.cut, pixel);
  ts_add_executed(block, pixel->steps + pixel->scaled_steps - before);
  return state;
}
