/* What a GPU is told of a block of pixels and what it tells back, in the subset that C++, CUDA C++
 * and OpenCL C share. The entry defines TS_U32 and TS_U64. Fields go from wide to narrow, so that
 * every compiler lays them out alike. */

#define TS_SHORTCUTS 1u /* cardioid and disc, exact return */
#define TS_SMOOTH 2u    /* the smooth field too */
#define TS_CAREFUL 4u   /* test after every step (docs/formulas.md) */

/* Rows of a block, and where their values go. Byte b of pixel (column, row) of the launch goes to
 * byte + b * byte_step + (first + row * stride_px + column) * pixel_step. */
struct TsTile {
  double center_re, center_im, step, half_width_px, half_height_px, bailout2;
  double constant_re, constant_im; /* c of a Julia set */
  TS_U64 x, y;                     /* of the launch's first pixel in the image */
  TS_U64 iterations_byte, iterations_byte_step, iterations_pixel_step;
  TS_U64 smooth_byte, smooth_byte_step, smooth_pixel_step;
  TS_U64 first, stride_px;
  TS_U32 width, height; /* of the launch, in pixels */
  TS_U32 iterations;    /* N */
  TS_U32 iterations_bytes;
  TS_U32 flags;
  TS_U32 formula; /* a TsFormula */
  TS_U32 degree;
  TS_U32 unused;
};

/* Sums over the pixels of the groups that share a slot: as two halves, because OpenCL 1.2 has
 * atomics on 32 bits only. */
struct TsStats {
  TS_U32 iterations[2]; /* low, high */
  TS_U32 executed[2];
  TS_U32 least, most; /* count */
};

/* Groups of 8 x 8 pixels; one atomic a group and slot, so slots keep them out of each other's way.
 */
#define TS_GROUP_EDGE 8u
#define TS_GROUP_SIZE 64u
#define TS_STATS_SLOTS 32u
