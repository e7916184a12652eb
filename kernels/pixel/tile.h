/* The input and the statistics of a launch that renders a block of pixels, in the common subset of
 * C++, CUDA C++ and OpenCL C. The entry file defines TS_U32 and TS_U64. Members are ordered from
 * wide to narrow, so that every compiler gives them the same layout. */

#define TS_SHORTCUTS 1u  /* use surely_inside and cycle detection */
#define TS_SMOOTH 2u     /* compute the smooth field too */
#define TS_CAREFUL 4u    /* test after every step (docs/formulas.md) */
#define TS_DISTANCE 16u  /* compute the distance field too */
#define TS_INTERIOR 32u  /* use the derivative's test of the interior */
#define TS_DEEP 8u       /* pixels by perturbation, with the table of a TsDeepImage */
#define TS_TURNED 64u    /* the turn is not the identity */
#define TS_BOUNDED 128u  /* pixels of an exact image, with a TsExactImage */
#define TS_FRACTION 256u /* compute the fraction field too */
#define TS_GRADIENT_X 512u
#define TS_GRADIENT_Y 1024u
#define TS_ANGLE 2048u /* compute the phase field too */

/* Fields that need |z_m| of the first z_m beyond the smooth radius, and those that need its parts
 * or its derivative. */
#define TS_FINDS_M (TS_SMOOTH | TS_FRACTION)
#define TS_GRADIENT (TS_GRADIENT_X | TS_GRADIENT_Y)
#define TS_MEASURES (TS_DISTANCE | TS_GRADIENT | TS_ANGLE)

/* The fields of f32, in the order of job::kMoreFields. */
enum TsValueField {
  TS_OF_SMOOTH,
  TS_OF_DISTANCE,
  TS_OF_FRACTION,
  TS_OF_GRADIENT_X,
  TS_OF_GRADIENT_Y,
  TS_OF_PHASE,
  TS_VALUE_FIELDS
};

/* Rows of a block, and the addresses of their values. Byte b of pixel (column, row) of the launch
 * is stored at byte + b * byte_step + (first + row * stride_px + column) * pixel_step. */
struct TsTile {
  double center_re, center_im, step, half_width_px, half_height_px, bailout2;
  double right_re, right_im, up_re, up_im; /* what a column to the right and a row up add to c */
  TsTurn turn;
  double constant_re, constant_im; /* c of a Julia set */
  double x, y;                     /* position of the launch's first pixel in the image */
  TS_U64 iterations_byte, iterations_byte_step, iterations_pixel_step;
  TS_U64 value_byte[TS_VALUE_FIELDS], value_byte_step, value_pixel_step;
  TS_U64 first, stride_px;
  TS_U64 orbits_byte, kept_byte; /* where a cut launch finds orbits, and where it keeps them */
  TS_U64 uncertain_byte;         /* where pixels with uncertain counts are listed */
  TS_U64 exact_byte;             /* where the TsExactImage of an exact image is */
  TS_U64 results_byte;           /* where those find their results that are computed again */
  TS_U32 width, height;          /* of the launch, in pixels */
  TS_U32 row_reciprocal;         /* 2^32 / blocks in a row, rounded down; for ts_find_pixel() */
  TS_U32 iterations;             /* N */
  TS_U32 iterations_bytes;
  TS_U32 flags;
  TS_U32 formula; /* a TsFormula */
  TS_U32 degree;
  TS_U32 cut;         /* most iterations of a pixel in this launch; 0 = as many as it takes */
  TS_U32 left;        /* orbits that a cut launch continues; 0 = it starts those of all pixels */
  TS_U32 kept_before; /* TsStats::kept before a cut launch */
  TS_U32 listed;      /* uncertain pixels that are computed again; 0 = all of the block */
  TS_U32 table;       /* of a deep image: 0 that of f64, then those of 106 and of 190 bits */
};

/* An orbit between two cut launches: z_n, not tested yet, and what its pixel needs besides. */
struct TsOrbit {
  double x, y;
  double saved_x, saved_y; /* an earlier z of the orbit, to detect cycles: Brent (1980) */
  double m_radius2;        /* |z_m|^2, once m is found */
  double right_u, right_v, up_u, up_v; /* of TsMoving, if `measures` */
  TS_U32 n;
  TS_U32 saved_n, saved_next; /* n of the saved z; n from which on it is replaced */
  TS_U32 m, smooth_found;     /* the first n beyond the smooth radius */
  TS_U32 pixel;               /* row * width + column in the launch */
  TS_U32 measures;            /* the count is stored; z goes its way again, with its derivative */
};

/* Sums over the pixels of the blocks that share a slot, in two halves, because OpenCL 1.2 has
 * 32-bit atomics only. */
struct TsStats {
  TS_U32 iterations[2]; /* low, high */
  TS_U32 executed[2];
  TS_U32 least, most; /* extreme counts */
  TS_U32 kept;        /* orbits that cut launches kept, or pixels that stay open; in slot 0 only */
  TS_U32 uncertain;   /* pixels with uncertain counts; in slot 0 only */
};

/* In the list of uncertain pixels, in place of one that a launch has counted. */
#define TS_NOT_OPEN 0xFFFFFFFFu

/* The only extreme among counts of 8 bytes: the limit. */
#define TS_WIDE_INSIDE 0xFFFFFFFEu

/* The size of a block of pixels, and of the threads that take one each. Many slots keep the atomics
 * of different blocks apart. */
#define TS_BLOCK_COLUMNS 8u
#define TS_BLOCK_ROWS 16u
#define TS_BLOCK_SIZE 128u
#define TS_STATS_SLOTS 1024u

/* The kernels of a formula: row(id, kind, call). Flags that are constants leave out what a launch
 * does not need, and with it registers; a launch with other flags takes `general`. */
/* clang-format off */
#define TS_RENDER_KINDS(row, id)                                   \
  row(id, counts, TS_RENDER(id, 0u, 0))                            \
  row(id, shortcuts, TS_RENDER(id, TS_SHORTCUTS, 0))               \
  row(id, smooth, TS_RENDER(id, TS_SHORTCUTS | TS_SMOOTH, 0))      \
  row(id, general, TS_RENDER(id, tile.flags, 0))                   \
  row(id, cut, TS_RENDER(id, tile.flags, 1))                       \
  row(id, bounded, TS_RENDER_BOUNDED(id, 0))                       \
  row(id, bounded_general, TS_RENDER_BOUNDED(id, 1))              \
  row(id, open, TS_RENDER_OPEN(id, 0))                            \
  row(id, open_general, TS_RENDER_OPEN(id, 1))
/* clang-format on */

enum TsRenderKind {
  TS_RENDER_COUNTS,
  TS_RENDER_SHORTCUTS,
  TS_RENDER_SMOOTH,
  TS_RENDER_GENERAL,
  TS_RENDER_CUT,
  TS_RENDER_OF_BOUNDED,
  TS_RENDER_OF_BOUNDED_GENERAL,
  TS_RENDER_OF_OPEN,
  TS_RENDER_OF_OPEN_GENERAL,
  TS_RENDER_KIND_COUNT
};
