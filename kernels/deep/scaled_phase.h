/* The first steps of a pixel, and those in which its difference from the reference is below f64's
 * range: few for most pixels. For pixels of f64 and of more bits, in the common subset of C++, CUDA
 * C++ and OpenCL C. Needs kernels/deep/offset.h, kernels/deep/scaled_step.h and
 *
 *   tn_mul_f64(a, b)                a b, where b is an f64
 *   TS_OF_PARTS(a, a_low)           the sum of two f64, as far as numbers hold it
 *   TS_PRODUCT(a, a_low, b, b_low)  the product of two such sums
 *   tn_quiet_steps                  ts_quiet_steps(), or 0 for nodes of more bits */

/* A pixel before its first iteration. Its offsets from the centre are in pixels; unit_step and
 * unit_step_low are the distance of pixels in units of 2^unit_exponent, the unit of the table. */
TS_OF_NUMBERS TS_FN void ts_deep_start(const TsDeepLimits* limits, double unit_step,
                                       double unit_step_low, TS_I64 unit_exponent,
                                       double column_offset, double row_offset, TS_PIXEL* pixel) {
  pixel->x = pixel->y = pixel->saved_y = TS_TO_NUMBER(0.0);
  /* No z equals NaN. */
  pixel->saved_x = TS_TO_NUMBER(ts_from_bits((TS_U64)0x7FF8 << 48));
  pixel->error = pixel->saved_error = 0.0;
  if (limits->turned) {
    const TsTurn turn = limits->turn;
    double w, w_low;
    ts_turned_offset(turn.a, column_offset, turn.b, row_offset, &w, &w_low);
    pixel->c_re = TS_PRODUCT(unit_step, unit_step_low, w, w_low);
    ts_turned_offset(turn.c, column_offset, turn.d, row_offset, &w, &w_low);
    pixel->c_im = TS_PRODUCT(unit_step, unit_step_low, w, w_low);
  } else {
    pixel->c_re = tn_mul_f64(TS_OF_PARTS(unit_step, unit_step_low), column_offset);
    pixel->c_im = tn_mul_f64(TS_OF_PARTS(unit_step, unit_step_low), row_offset);
  }
  pixel->plain_re = tn_part_value(pixel->c_re, unit_exponent);
  pixel->plain_im = tn_part_value(pixel->c_im, unit_exponent);
  pixel->m = limits->first;
  if (limits->first != 0) { /* the pixel is the first z, and c has no difference */
    pixel->x = pixel->plain_re;
    pixel->y = pixel->plain_im;
    pixel->plain_re = pixel->plain_im = TS_TO_NUMBER(0.0);
  }
  pixel->n = pixel->rebases = pixel->steps = pixel->scaled_steps = 0;
  pixel->saved_next = 1;
  pixel->smooth_radius2 = 0.0;
  pixel->smooth_m = 0;
  pixel->smooth_slope2 = pixel->smooth_right = pixel->smooth_up = 0.0;
  pixel->smooth_x = pixel->smooth_y = 0.0;
  pixel->slope.re = pixel->slope.im = pixel->slope.contraction = 0.0;
  pixel->slope.up_re = pixel->slope.up_im = 0.0;
  pixel->count = limits->limit;
}

/* A launch of a GPU takes no more of them after its last pause. */
// crossed by: below_the_range_of_f64_end_as_if_they_had_not_paused
#define TS_QUIET_STEPS 1024u

/* Takes ts_quiet_steps(), for formulas without jumps. Returns how many: fewer than TS_QUIET_STEPS.
 */
TS_OF_NUMBERS TS_APART TS_U32 ts_scaled_quiet_steps(const TsDeepLimits* limits,
                                                    const TS_JUMPS* jumps, double rounding,
                                                    TS_PHASE* phase, TS_PIXEL* pixel) {
  const TS_I64 e = phase->z.e;
  const TS_U64 left = limits->last - pixel->m;
  const TS_U64 to_limit = limits->limit - pixel->n;
  const TS_U64 fewest = left < to_limit ? left : to_limit;
  const TS_U32 most = fewest < TS_QUIET_STEPS ? (TS_U32)fewest : TS_QUIET_STEPS;
  struct TsScaled error = phase->error, scaled_c = ts_complex_size(phase->plain_c);
  TsQuiet quiet;
  TsQuietPoint point;
  TS_U32 steps = 0;
  if (most < 2 || pixel->count != limits->limit || scaled_c.e > e + 100) return 0;
  if (!ts_scaled_less(error, ts_scaled(limits->small, 0))) return 0;
  point.x = tn_leading(phase->z.re);
  point.y = tn_leading(phase->z.im);
  /* as in the middle of the image: z has no scale */
  if (point.x == 0.0 && point.y == 0.0) return 0;
  error.e -= e;
  point.error = ts_scaled_value(error);
  point.slope = pixel->slope;
  ts_read_slopes(phase, e, &point.slope);
  quiet.scale = ts_power_of_two(e);
  quiet.rounding = 2.0 * rounding;
  quiet.c_re = tn_leading(tn_part_value(phase->plain_c.re, phase->plain_c.e - e));
  quiet.c_im = tn_leading(tn_part_value(phase->plain_c.im, phase->plain_c.e - e));
  quiet.step = tn_leading(tn_part_value(phase->plain_step.re, phase->plain_step.e - e));
  steps = tn_quiet_steps(*limits, jumps->nodes + pixel->m, most - 1, quiet, &point);
  if (steps == 0) return 0;
  ts_put_slopes(point.slope, e, phase);
  phase->z = ts_normalized(TS_TO_NUMBER(point.x), TS_TO_NUMBER(point.y), e);
  phase->error = ts_scaled(point.error, e);
  pixel->m += steps;
  pixel->n += steps;
  pixel->scaled_steps += steps;
  return steps;
}

/* c of a pixel. */
TS_OF_NUMBERS TS_FN void ts_set_c(const TsDeepLimits* limits, TS_I64 unit_exponent,
                                  const TS_PIXEL* pixel, TS_PHASE* phase) {
  phase->c = phase->plain_c = ts_normalized(pixel->c_re, pixel->c_im, 0);
  phase->plain_c.e += unit_exponent;
  phase->step = phase->plain_step =
      ts_normalized(TS_TO_NUMBER(limits->slope_step), TS_TO_NUMBER(0.0), 0);
  phase->plain_step.e += unit_exponent;
}

/* In a Julia set, c is the same for all pixels. */
TS_OF_NUMBERS TS_FN void ts_keep_c_fixed(const TsDeepLimits* limits, TS_PHASE* phase) {
  if (limits->first == 0) return;
  phase->c = phase->plain_c = ts_normalized(TS_TO_NUMBER(0.0), TS_TO_NUMBER(0.0), 0);
  phase->step = phase->plain_step = phase->c;
}

/* A phase of a pixel whose z is in f64's range or is the first one. Returns as ts_scaled_phase().
 */
TS_OF_NUMBERS TS_FN TS_U32 ts_begin_phase(const TsDeepLimits* limits, const TS_JUMPS* jumps,
                                          TS_I64 unit_exponent, double rounding, TS_PHASE* phase,
                                          TS_PIXEL* pixel) {
  TS_U32 state = TS_DEEP_SMALL;
  phase->z = ts_normalized(pixel->x, pixel->y, 0);
  phase->error = ts_scaled(pixel->error, 0);
  ts_put_slopes(pixel->slope, 0, phase);
  ts_set_c(limits, unit_exponent, pixel, phase);
  /* No z equals NaN. */
  phase->returned = phase->c;
  phase->returned.re = TS_TO_NUMBER(ts_from_bits((TS_U64)0x7FF8 << 48));
  phase->returned_error = ts_scaled(0.0, 0);
  phase->contraction =
      pixel->n == 0 ? ts_scaled(1.0, 0) : ts_scaled(pixel->slope.contraction, -unit_exponent);
  if (limits->first != 0 && pixel->n == 0) {
    phase->z = phase->plain_c;
    phase->slope = phase->plain_step;
    phase->error = ts_scaled_times(ts_scaled(2.0 * rounding, 0), ts_complex_size(phase->z));
    state = ts_test_scaled(limits, jumps, rounding, phase, pixel);
  }
  ts_keep_c_fixed(limits, phase);
  return state;
}

/* Advances while |z| is below f64's range, or until the pixel has taken `pause` steps of any kind,
 * and as many more as ts_scaled_quiet_steps() takes. Returns as ts_scaled_phase(), or
 * TS_DEEP_PAUSED. */
TS_OF_NUMBERS TS_FN TS_U32 ts_advance_phase(const TsDeepLimits* limits, const TS_JUMPS* jumps,
                                            TS_I64 unit_exponent, double rounding, TS_U64 pause,
                                            TS_PHASE* phase, TS_PIXEL* pixel) {
  for (;;) {
    const TS_NUMBER x = tn_part_value(phase->z.re, phase->z.e);
    const TS_NUMBER y = tn_part_value(phase->z.im, phase->z.e);
    if (ts_abs(tn_leading(x)) >= limits->small || ts_abs(tn_leading(y)) >= limits->small) {
      pixel->x = x;
      pixel->y = y;
      pixel->error = ts_scaled_value(phase->error);
      ts_read_slopes(phase, 0, &pixel->slope);
      pixel->slope.contraction =
          ts_scaled_value(ts_scaled(phase->contraction.m, phase->contraction.e + unit_exponent));
      return TS_DEEP_SMALL;
    }
    if (limits->jumps || ts_scaled_quiet_steps(limits, jumps, rounding, phase, pixel) == 0) {
      const TS_U32 state = ts_scaled_step(limits, jumps, rounding, phase, pixel);
      if (state != TS_DEEP_SMALL) return state;
      pixel->scaled_steps += 1;
    }
    if (pixel->steps + pixel->scaled_steps >= pause) return TS_DEEP_PAUSED;
  }
}

/* Advances while |z| is below f64's range. Returns TS_DEEP_SMALL if ts_deep_advance() continues,
 * otherwise TS_DEEP_DONE or TS_DEEP_UNCERTAIN. `rounding` of a step is relative to its result. */
TS_OF_NUMBERS TS_FN TS_U32 ts_scaled_phase(const TsDeepLimits* limits, const TS_JUMPS* jumps,
                                           TS_I64 unit_exponent, double rounding, TS_PIXEL* pixel) {
  const TS_U64 never = ~(TS_U64)0;
  TS_PHASE phase;
  const TS_U32 state = ts_begin_phase(limits, jumps, unit_exponent, rounding, &phase, pixel);
  if (state != TS_DEEP_SMALL) return state;
  return ts_advance_phase(limits, jumps, unit_exponent, rounding, never, &phase, pixel);
}
