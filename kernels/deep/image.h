/* The values that all pixels of a deep image share, in the common subset of C++, CUDA C++ and
 * OpenCL C. Needs kernels/pixel/formulas.h, TS_U32, TS_U64 and TS_I64. Members are ordered from
 * wide to narrow, so that every compiler gives them the same layout. */

typedef struct {
  double bailout2;    /* R^2 */
  double bailout;     /* R */
  double near;        /* | |Z|^2 - R^2 | at which f64 cannot tell; -1 if an image is not exact */
  double small;       /* |z| from which on f64 holds all terms of a step */
  double slope_step;  /* between pixels, in the unit of the table */
  double plain_slope; /* between pixels; 0 where it underflows, and if c is no pixel */
  double inside;      /* |dz_n / dz_1| below which a pixel is inside, in that unit; or 0 */
  TsTurn turn;
  TS_U64 first; /* element at which pixels begin: 0, or in Julia sets the image's centre. The orbit
                   of 0 is before it, and pixels continue with that when they rebase. */
  TS_U64 last;  /* M: index of the last element of the reference orbit */
  TS_U64 limit; /* N */
  TS_U32 want_smooth; /* the orbit is needed up to the smooth radius */
  TS_U32 want_distance;
  TS_U32 want_interior; /* by the derivative; for z^2 + c with c of the pixel */
  TS_U32 fold, degree;  /* a step is fold(z)^degree + c, with a TsFold */
  TS_U32 jumps;         /* whether it is z^2 + c, for which there are jumps */
  TS_U32 turned;        /* whether the turn is not the identity */
} TsDeepLimits;

/* A deep image in a device's memory. Its jump table is a block of bytes with the nodes first. */
struct TsDeepImage {
  TsDeepLimits limits;
  double unit_step;     /* between pixels, in units of 2^unit_exponent */
  double unit_step_low; /* what unit_step lacks; for 106 bits, and for a turned image */
  double rounding;      /* of a step, relative to its result; for 106 bits */
  TS_I64 unit_exponent; /* of the unit of c */
  TS_U64 entries_byte, scaled_nodes_byte, scaled_entries_byte;
  TS_U64 scaled_count;
};

/* A pixel that was computed again. */
struct TsDeepResult {
  TS_U64 count, smooth_m;
  double smooth_radius2, smooth_slope2, smooth_right, smooth_up, smooth_x, smooth_y;
  TS_U64 steps;
  TS_U32 is_uncertain, unused; /* with the bits of that launch, too */
};
