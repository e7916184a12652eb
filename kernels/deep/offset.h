/* Offsets of the pixels of a turned image from its centre (docs/numerics.md), exactly, in the
 * common subset of C++, CUDA C++ and OpenCL C. Needs TS_FN and ts_fma. Compile without contraction.
 */

/* (a + a_low) (b + b_low), rounded. */
TS_FN double ts_product_of_parts(double a, double a_low, double b, double b_low) {
  const double product = a * b;
  return product + (ts_fma(a, b, -product) + ts_fma(a, b_low, a_low * b));
}

/* a u + b v, rounded to 106 bits. The products have up to 85. */
TS_FN void ts_turned_offset(double a, double u, double b, double v, double* high, double* low) {
  const double p = a * u, q = b * v;
  const double p_low = ts_fma(a, u, -p), q_low = ts_fma(b, v, -q);
  const double s = p + q, s_q = s - p, s_low = (p - (s - s_q)) + (q - s_q);
  const double t = p_low + q_low, t_q = t - p_low, t_low = (p_low - (t - t_q)) + (q_low - t_q);
  /* s + s_low + t + t_low, where s may be as small as the others. */
  const double w = s + t, w_t = w - s, w_low = (s - (w - w_t)) + (t - w_t);
  const double rest = w_low + s_low, rest_s = rest - w_low;
  const double rest_low = (w_low - (rest - rest_s)) + (s_low - rest_s);
  const double sum = w + rest, sum_rest = sum - w;
  *high = sum;
  *low = ((w - (sum - sum_rest)) + (rest - sum_rest)) + (rest_low + t_low);
}
