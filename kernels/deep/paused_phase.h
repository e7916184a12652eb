/* Pixels that pause below f64's range, as launches of GPUs make them, in the common subset of C++,
 * CUDA C++ and OpenCL C. Needs kernels/deep/scaled_phase.h. */

/* Keeps a phase in a pixel, which has its mantissas where it has numbers else. */
TS_OF_NUMBERS TS_FN void ts_keep_phase(const TS_PHASE* phase, TS_PIXEL* pixel) {
  pixel->x = phase->z.re;
  pixel->y = phase->z.im;
  pixel->error = phase->error.m;
  pixel->kept.slope_re = phase->slope.re;
  pixel->kept.slope_im = phase->slope.im;
  pixel->kept.up_re = phase->up.re;
  pixel->kept.up_im = phase->up.im;
  pixel->slope.contraction = phase->contraction.m;
  pixel->kept.z_e = phase->z.e;
  pixel->kept.error_e = phase->error.e;
  pixel->kept.slope_e = phase->slope.e;
  pixel->kept.up_e = phase->up.e;
  pixel->kept.contraction_e = phase->contraction.e;
  pixel->kept.returned_re = phase->returned.re;
  pixel->kept.returned_im = phase->returned.im;
  pixel->kept.returned_e = phase->returned.e;
  pixel->kept.returned_error = phase->returned_error.m;
  pixel->kept.returned_error_e = phase->returned_error.e;
}

TS_OF_NUMBERS TS_FN void ts_resume_phase(const TsDeepLimits* limits, TS_I64 unit_exponent,
                                         const TS_PIXEL* pixel, TS_PHASE* phase) {
  phase->z.re = pixel->x;
  phase->z.im = pixel->y;
  phase->error.m = pixel->error;
  phase->slope.re = pixel->kept.slope_re;
  phase->slope.im = pixel->kept.slope_im;
  phase->up.re = pixel->kept.up_re;
  phase->up.im = pixel->kept.up_im;
  phase->contraction.m = pixel->slope.contraction;
  phase->z.e = pixel->kept.z_e;
  phase->error.e = pixel->kept.error_e;
  phase->slope.e = pixel->kept.slope_e;
  phase->up.e = pixel->kept.up_e;
  phase->contraction.e = pixel->kept.contraction_e;
  phase->returned.re = pixel->kept.returned_re;
  phase->returned.im = pixel->kept.returned_im;
  phase->returned.e = pixel->kept.returned_e;
  phase->returned_error.m = pixel->kept.returned_error;
  phase->returned_error.e = pixel->kept.returned_error_e;
  ts_set_c(limits, unit_exponent, pixel, phase);
  ts_keep_c_fixed(limits, phase);
}

/* ts_scaled_phase() of a pixel that begins, is small or has paused in it. Returns TS_DEEP_PAUSED,
 * too, once the pixel has taken `pause` steps of any kind, and fewer than TS_QUIET_STEPS more. */
TS_OF_NUMBERS TS_APART TS_U32 ts_scaled_phase_until(const TsDeepLimits* limits,
                                                    const TS_JUMPS* jumps, TS_I64 unit_exponent,
                                                    double rounding, TS_U64 pause,
                                                    TS_PIXEL* pixel) {
  TS_PHASE phase;
  TS_U32 state = TS_DEEP_SMALL;
  if (pixel->in_phase) {
    ts_resume_phase(limits, unit_exponent, pixel, &phase);
  } else {
    state = ts_begin_phase(limits, jumps, unit_exponent, rounding, &phase, pixel);
  }
  if (state == TS_DEEP_SMALL) {
    state = ts_advance_phase(limits, jumps, unit_exponent, rounding, pause, &phase, pixel);
  }
  pixel->in_phase = state == TS_DEEP_PAUSED;
  if (pixel->in_phase) ts_keep_phase(&phase, pixel);
  return state;
}

/* Advances a pixel until it is done or uncertain, or has taken `cut` more steps, and fewer than
 * TS_QUIET_STEPS more. `jumps` is limits.jumps as a constant. */
TS_OF_NUMBERS TS_FN TS_U32 ts_advance_paused(const int has_jumps, const TsDeepLimits* limits,
                                             const TS_JUMPS* jumps, TS_I64 unit_exponent,
                                             double rounding, TS_U32 cut, TS_PIXEL* pixel) {
  const TS_U64 pause = pixel->steps + pixel->scaled_steps + (cut - 1);
  for (;;) {
    TS_U32 state = TS_DEEP_SMALL;
    if (pixel->in_phase || pixel->n == 0 ||
        (ts_abs(tn_leading(pixel->x)) < limits->small &&
         ts_abs(tn_leading(pixel->y)) < limits->small)) {
      state = ts_scaled_phase_until(limits, jumps, unit_exponent, rounding, pause, pixel);
      if (state != TS_DEEP_SMALL) return state;
    }
    state =
        ts_deep_advance(has_jumps, *limits, *jumps, rounding, pause - pixel->scaled_steps, pixel);
    if (state != TS_DEEP_SMALL) return state;
  }
}
