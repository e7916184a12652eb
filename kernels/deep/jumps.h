/* The jump table as kernels read it (src/deep/jump_table.hpp), in the common subset of C++, CUDA
 * C++ and OpenCL C. Needs kernels/deep/scaled.h, TS_U32, TS_GLOBAL, ts_from_bits, and
 *
 *   TS_NODE TS_ENTRY            TsJumpNode and TsJumpEntry, or what has their place
 *   TS_SCALED_NODE TS_SCALED_ENTRY TS_JUMPS
 *                               the types below, of TS_NUMBER */

/* An element of the reference orbit. Its entries are [first, first + levels). 32 bytes. */
struct __attribute__((aligned(32))) TsJumpNode {
  double re, im;
  double radius2; /* of its first entry; 0 without entries */
  TS_U32 first;
  TS_U32 levels_and_error; /* see ts_levels() and ts_error_exponent() */
};

/* The error exponent of an element without errors, and of one whose errors are below 2^-16777214.
 */
#define TS_NO_ERROR 0xFFFFFFu

TS_FN TS_U32 ts_levels(TS_U32 levels_and_error) {
  return levels_and_error & 0xFFu;
}
/* e: this element of the orbit, as it was computed in multiprecision, is within 2^-e of the true
 * one. */
TS_FN TS_U32 ts_error_exponent(TS_U32 levels_and_error) {
  return levels_and_error >> 8;
}
/* 2^-e; 0 where it underflows. */
TS_FN double ts_element_error(TS_U32 levels_and_error) {
  const TS_U32 e = ts_error_exponent(levels_and_error);
  return e < 1023u ? ts_from_bits((TS_U64)(1023u - e) << 52) : 0.0;
}
TS_FN struct TsScaled ts_scaled_element_error(TS_U32 levels_and_error) {
  const TS_U32 e = ts_error_exponent(levels_and_error);
  return e == TS_NO_ERROR ? ts_scaled(0.0, 0) : ts_scaled(1.0, -(TS_I64)e);
}

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
