/* The arguments of a launch that reduces a piece of an array along axes, in the subset that C++,
 * CUDA C++ and OpenCL C share. See also kernels/gpu/reduce_arguments.h. */

/* One dimension of a piece. Two neighbouring elements along it are `stride` elements apart in
 * memory, and `step` apart in outputs of the tile or in indices among the elements of an output. */
struct TsAxisLevel {
  TS_U64 step;
  TS_U32 extent, stride;
};

/* Most levels of each kind in a launch; a piece with more needs several launches. */
// crossed by: HaveEveryElementOnceWhereItBelongs
#define TS_AXIS_LEVELS 4u

/* Each output of the piece has `terms` elements, which splits * lanes threads reduce. A cell is a
 * TsReduced for one output and one split; the cells of a split are contiguous. The lanes of a cell
 * are consecutive threads; the first of them adds their total to the cell. A cell of an earlier
 * round counts as empty, so cells need not be cleared. */
struct TsAxis {
  TS_U64 first_index; /* index of the first element */
  double low, high, bins_per_unit;
  struct TsAxisLevel kept[TS_AXIS_LEVELS], reduced[TS_AXIS_LEVELS]; /* outermost first */
  TS_U32 kept_levels, reduced_levels;
  TS_U32 outputs, terms; /* of the launch: products of the extents */
  TS_U32 first_output;
  TS_U32 tile_outputs;
  TS_U32 splits, lanes, joins; /* lanes: a power of two; joins = 1 + log2(lanes) */
  TS_U32 round;
  TS_U32 type, flags, bins;
  TS_U32 first_limb, limbs; /* the limbs to which an output spills */
  TS_U32 unused;
};
