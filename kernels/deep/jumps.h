/* The jump table as kernels read it (src/deep/jump_table.hpp), in the common subset of C++, CUDA
 * C++ and OpenCL C. */

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
