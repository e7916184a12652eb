/* What a GPU is told of a piece of an array that is reduced along axes, in the subset that C++,
 * CUDA C++ and OpenCL C share; beside kernels/gpu/reduce_arguments.h. */

/* Elements of a piece, seen along one dimension: from one to the next it is `stride` elements in
 * memory, and `step` outputs of the tile or places among the elements of an output. */
struct TsAxisLevel {
  TS_U64 step;
  TS_U32 extent, stride;
};

/* Levels of each kind in a launch; what has more is launched in parts. */
#define TS_AXIS_LEVELS 4u

/* Each output of the piece is made of `terms` elements, and by splits * lanes threads: a cell,
 * which is a TsReduced, belongs to an output and a split, those of one split in a row; its lanes
 * are threads in a row, of which the first one adds what they come to, to what the cell has. What
 * is there from an earlier round counts as nothing, so that cells need not be cleared. */
struct TsAxis {
  TS_U64 first_index; /* place of the first element */
  double low, high, bins_per_unit;
  struct TsAxisLevel kept[TS_AXIS_LEVELS], reduced[TS_AXIS_LEVELS]; /* outermost first */
  TS_U32 kept_levels, reduced_levels;
  TS_U32 outputs, terms; /* of the launch: products of the extents */
  TS_U32 first_output;
  TS_U32 tile_outputs;
  TS_U32 splits, lanes, joins; /* lanes: a power of two; joins = 1 + log2(lanes) */
  TS_U32 round;
  TS_U32 type, flags, bins;
  TS_U32 first_limb, limbs; /* of what an output spills to */
  TS_U32 unused;
};
