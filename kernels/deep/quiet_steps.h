/* Steps in f64 with a z far below f64's range, for formulas without jumps. In the common subset of
 * C++, CUDA C++ and OpenCL C. Needs kernels/deep/difference.h, with TS_PAIR of f64, and
 * kernels/deep/slopes.h. */

/* Whether |Z| and |Re Z|, |Im Z| are far from 0 and from the bailout. */
TS_FN int ts_is_quiet(const TsDeepLimits limits, const struct TsJumpNode node) {
  const double radius2 = ts_fma(node.re, node.re, node.im * node.im);
  const double least = limits.small * 0x1p90;
  if (!(radius2 > least * least && radius2 < 0.99 * limits.bailout2)) return 0;
  return limits.fold != TS_FOLD_ABSOLUTE ||
         (ts_abs(node.re) > 0x1p-380 && ts_abs(node.im) > 0x1p-380);
}

/* Takes steps with a scale < limits.small, as long as no test could tell anything: at most `most`,
 * while z stays within 2^60 of the scale, and its error far below |Z|. Returns how many. */
TS_FN TS_U32 ts_quiet_steps(const TsDeepLimits limits, TS_GLOBAL const struct TsJumpNode* nodes,
                            TS_U32 most, const TsQuiet quiet, TsQuietPoint* point) {
  const TS_PAIR c = ts_pair(quiet.c_re, quiet.c_im);
  TS_PAIR z = ts_pair(point->x, point->y);
  TS_U32 steps = 0;
  while (steps < most && point->error * quiet.scale < limits.small * 0x1p60 &&
         ts_is_quiet(limits, nodes[steps]) && ts_is_quiet(limits, nodes[steps + 1])) {
    const TS_PAIR ref = ts_pair(nodes[steps].re, nodes[steps].im);
    double largest, growth, spread;
    const TS_PAIR t = ts_difference(limits, ref, z, quiet.scale, &growth, &spread);
    if (limits.want_distance) {
      ts_follow_step(limits, ref.re + quiet.scale * z.re, ref.im + quiet.scale * z.im, quiet.step,
                     &point->slope);
    }
    z = ts_plus(t, c);
    point->error = ts_fma(growth, point->error,
                          quiet.rounding * (spread + (ts_sum_of_parts(z) + ts_sum_of_parts(c))));
    steps += 1;
    largest = ts_abs(z.re) < ts_abs(z.im) ? ts_abs(z.im) : ts_abs(z.re);
    if (!(largest > 0x1p-60 && largest < 0x1p60)) break;
  }
  point->x = z.re;
  point->y = z.im;
  return steps;
}
