/* A jump table of 106 bits, in the common subset of C++, CUDA C++ and OpenCL C. Needs
 * kernels/deep/double_double.h and TS_U32, TS_U64. */

/* As TsJumpNode. 48 bytes. */
struct __attribute__((aligned(16))) TsPreciseNode {
  double re, im, re_low, im_low;
  double radius2; /* of its first entry; 0 without entries */
  TS_U32 first, levels_and_error;
};

/* As TsJumpEntry. 128 bytes. */
struct __attribute__((aligned(128))) TsPreciseJump {
  double radius2;
  struct DoubleDouble a_re, a_im, q_re, q_im, b_re, b_im;
  TS_U64 length;
};
