/* The jump table as kernels read it (src/deep/jump_table.hpp), in the common subset of C++, CUDA
 * C++ and OpenCL C. Needs kernels/deep/scaled.h, TS_U32, TS_GLOBAL, and
 *
 *   TS_NODE TS_ENTRY            TsJumpNode and TsJumpEntry, or what has their place
 *   TS_SCALED_NODE TS_SCALED_ENTRY TS_JUMPS
 *                               the types below, of TS_NUMBER */

/* An element of the reference orbit. Its entries are [first, first + levels). 32 bytes. */
struct __attribute__((aligned(32))) TsJumpNode {
  double re, im;
  double radius2; /* of its first entry; 0 without entries */
  TS_U32 first, levels;
};

/* A jump over `length` iterations: z' = t (a + q t) + b c for |t|^2 < radius2. 64 bytes. */
struct __attribute__((aligned(64))) TsJumpEntry {
  double radius2;
  double a_re, a_im, q_re, q_im, b_re, b_im;
  TS_U64 length;
};

/* An element that f64 holds badly, or one with entries that f64 cannot hold. These entries, with
 * the smallest radii, continue those of its TsJumpNode. */
TS_OF_NUMBERS struct TsScaledNode {
  TS_U64 m;
  TS_COMPLEX z;
  TS_U32 first, levels;
};

TS_OF_NUMBERS struct TsScaledEntry {
  struct TsScaled radius;
  TS_COMPLEX a, q, b;
  TS_U64 length;
};

/* Entries of a node have rising lengths and falling radii. */
TS_OF_NUMBERS struct TsJumps {
  TS_GLOBAL const TS_NODE* nodes; /* for m = 0 to M */
  TS_GLOBAL const TS_ENTRY* entries;
  TS_GLOBAL const TS_SCALED_NODE* scaled_nodes; /* ascending */
  TS_GLOBAL const TS_SCALED_ENTRY* scaled_entries;
  TS_U32 scaled_count; /* of scaled_nodes */
};
