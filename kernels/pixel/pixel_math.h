/* The pixel mathematics that all formulas share (docs/numerics.md), in the common subset of C++,
 * CUDA C++ and OpenCL C. An entry file defines the number type and then includes this file. There
 * is no include guard, because one program may include it several times, in different namespaces
 * (f64, and a vector of f64 for each instruction set).
 *
 * The entry defines the macros TS_FN (function qualifiers), TS_REAL and TS_BITS (a number and its
 * bit pattern) and these operations, each of them one IEEE operation rounded to nearest:
 *
 *   ts_real(k) ts_add ts_sub ts_mul ts_div ts_sqrt ts_abs
 *   ts_fma(a, b, c) = ab + c             ts_fnma(a, b, c) = c - ab
 *   ts_bits(k) ts_to_bits ts_from_bits   ts_bits_sub ts_bits_and ts_bits_or ts_bits_xor
 *   ts_bits_shift_52
 *
 * and TS_MASK, one truth value per number, with ts_less(a, b) ts_both ts_either ts_none(mask)
 * ts_if(mask, yes, no).
 * kernels/pixel/steps.h adds the formulas. */

/* Column j of an image, from its centre to the right: half_width_px = W / 2. */
TS_FN TS_REAL ts_column_offset(TS_REAL column, TS_REAL half_width_px) {
  return ts_sub(ts_add(column, ts_real(0.5)), half_width_px);
}

/* Row i, counted from the top, from the centre up: half_height_px = H / 2. */
TS_FN TS_REAL ts_row_offset(TS_REAL row, TS_REAL half_height_px) {
  return ts_sub(half_height_px, ts_add(row, ts_real(0.5)));
}

/* A part of c at (u, v), offsets in pixels: `right` and `up` are what they add to it. */
TS_FN TS_REAL ts_coordinate(TS_REAL u, TS_REAL right, TS_REAL v, TS_REAL up, TS_REAL center) {
  return ts_fma(u, right, ts_fma(v, up, center));
}

/* |z|^2. */
TS_FN TS_REAL ts_radius2(TS_REAL x, TS_REAL y) {
  return ts_fma(x, x, ts_mul(y, y));
}

/* Selects the pixels for which |z| > 2 does not imply that |z| grows, for degree 2 and z_1 = c: |
 * |c|^2 - 4 | < 1e-12 (docs/formulas.md). */
TS_FN TS_MASK ts_near_edge(TS_REAL c_re, TS_REAL c_im) {
  const TS_REAL off = ts_sub(ts_radius2(c_re, c_im), ts_real(4.0));
  return ts_less(ts_abs(off), ts_real(1e-12));
}

/* (u + iv)^2. */
TS_FN void ts_square(TS_REAL* u, TS_REAL* v) {
  const TS_REAL u2 = ts_mul(*u, *u);
  const TS_REAL twice = ts_add(*u, *u);
  *u = ts_fnma(*v, *v, u2);
  *v = ts_mul(twice, *v);
}

/* z^2 + c, in place. */
TS_FN void ts_square_plus(TS_REAL* x, TS_REAL* y, TS_REAL c_re, TS_REAL c_im) {
  const TS_REAL t = ts_fnma(*y, *y, c_re);
  *y = ts_fma(ts_add(*x, *x), *y, c_im);
  *x = ts_fma(*x, *x, t);
}

/* (w_re + i w_im)(u + iv) + (a + ib), in place of u + iv. */
TS_FN void ts_times_plus(TS_REAL w_re, TS_REAL w_im, TS_REAL* u, TS_REAL* v, TS_REAL a, TS_REAL b) {
  const TS_REAL old_u = *u;
  *u = ts_fma(w_re, *u, ts_fnma(w_im, *v, a));
  *v = ts_fma(w_re, *v, ts_fma(w_im, old_u, b));
}

/* log2 of a finite v >= 1, with an error below 2.4e-9: v = 2^e (1 + u) with 1 + u in [sqrt(1/2),
 * sqrt(2)), and log2(1 + u) = u P(u), where P has degree 9 and interpolates at the Chebyshev nodes
 * of that interval. */
TS_FN TS_REAL ts_log2(TS_REAL v) {
  const TS_BITS bits = ts_to_bits(v);
  const TS_BITS above = ts_bits_sub(bits, ts_bits(0x3FE6A09E667F3BCD));
  const TS_BITS exponent = ts_bits_shift_52(above);
  const TS_REAL e = ts_sub(ts_from_bits(ts_bits_or(exponent, ts_bits(0x4330000000000000))),
                           ts_real(4503599627370496.0));
  const TS_BITS mantissa = ts_bits_sub(bits, ts_bits_and(above, ts_bits(0xFFF0000000000000)));
  const TS_REAL u = ts_sub(ts_from_bits(mantissa), ts_real(1.0));
  const TS_REAL u2 = ts_mul(u, u);
  /* Even and odd coefficients in separate chains, which halves the length of the dependent chain.
   * */
  TS_REAL even = ts_fma(ts_real(0.18476033365181374), u2, ts_real(0.20485764778621932));
  TS_REAL odd = ts_fma(ts_real(-0.10749789418083196), u2, ts_real(-0.1913883765667254));
  even = ts_fma(even, u2, ts_real(0.28855256143746744));
  odd = ts_fma(odd, u2, ts_real(-0.23960812190957284));
  even = ts_fma(even, u2, ts_real(0.4808985203240642));
  odd = ts_fma(odd, u2, ts_real(-0.3606965418075051));
  even = ts_fma(even, u2, ts_real(1.4426950399991885));
  odd = ts_fma(odd, u2, ts_real(-0.7213473544789053));
  return ts_fma(ts_fma(odd, u, even), u, e);
}

/* The smooth count m + 1 - log_d(ln|z_m| / ln 256) for degree d = 2, from m and radius2 = |z_m|^2 >
 * 256^2: ln|z| / ln 256 = log2(|z|^2) / 16. */
TS_FN TS_REAL ts_smooth(TS_REAL m, TS_REAL radius2) {
  return ts_sub(ts_add(m, ts_real(5.0)), ts_log2(ts_log2(radius2)));
}

/* 1 / log2(degree). */
TS_FN double ts_inverse_log2(int degree) {
  return degree == 3   ? 0.6309297535714574
         : degree == 4 ? 0.5
         : degree == 5 ? 0.43067655807339306
         : degree == 6 ? 0.3868528072345416
         : degree == 7 ? 0.3562071871080222
                       : 0.3333333333333333;
}

/* The smooth count for any degree: log_d(v) = log2(v) / log2(d). With m - n for m, what it adds to
 * the count n. */
TS_FN TS_REAL ts_smooth_of(int degree, TS_REAL m, TS_REAL radius2) {
  if (degree == 2) return ts_smooth(m, radius2);
  const TS_REAL left = ts_sub(ts_real(4.0), ts_log2(ts_log2(radius2)));
  return ts_fma(ts_real(ts_inverse_log2(degree)), left, ts_add(m, ts_real(1.0)));
}

/* The distance estimate |z| ln|z| / |dz|, from |z|^2 beyond 256^2 and |dz|^2: ln|z| = log2(|z|^2)
 * ln(2) / 2. */
TS_FN TS_REAL ts_distance_of(TS_REAL radius2, TS_REAL slope2) {
  const TS_REAL log = ts_mul(ts_log2(radius2), ts_real(0.34657359027997264));
  return ts_mul(ts_sqrt(ts_div(radius2, slope2)), log);
}

/* What the pixel to the right and the pixel above add to |z|^2 / 2. */
typedef struct {
  TS_REAL right, up;
} TsSlopes;

/* The distance as a vector of the picture, away from the set: where |z| grows most. */
TS_FN TsSlopes ts_gradient_of(TS_REAL distance, TsSlopes slopes) {
  const TS_REAL scale = ts_div(distance, ts_sqrt(ts_radius2(slopes.right, slopes.up)));
  slopes.right = ts_mul(slopes.right, scale);
  slopes.up = ts_mul(slopes.up, scale);
  return slopes;
}

/* The angle of x + iy in turns, from 0 to below 1: atan(t) / 2 pi = t P(t^2) for t in [0, 1], with
 * an error below 2e-15 of it, where P has degree 17 and interpolates at the Chebyshev nodes of
 * [0, 1]. 0 where f32 would have 1. */
TS_FN TS_REAL ts_angle(TS_REAL x, TS_REAL y) {
  const TS_REAL zero = ts_real(0.0);
  const TS_REAL width = ts_abs(x), height = ts_abs(y);
  const TS_MASK steep = ts_less(width, height);
  const TS_REAL t = ts_div(ts_if(steep, width, height), ts_if(steep, height, width));
  const TS_REAL s = ts_mul(t, t), s2 = ts_mul(s, s);
  TS_REAL even = ts_fma(ts_real(7.339384406069084e-05), s2, ts_real(0.0010572055532480813));
  TS_REAL odd = ts_fma(ts_real(-7.277306858409763e-06), s2, ts_real(-0.00034988471667734715));
  even = ts_fma(even, s2, ts_real(0.0039134870318033544));
  odd = ts_fma(odd, s2, ts_real(-0.0023011908816962783));
  even = ts_fma(even, s2, ts_real(0.006966514270572052));
  odd = ts_fma(odd, s2, ts_real(-0.005550449611135823));
  even = ts_fma(even, s2, ts_real(0.009303541797031368));
  odd = ts_fma(odd, s2, ts_real(-0.008161193365973641));
  even = ts_fma(even, s2, ts_real(0.012240877344733924));
  odd = ts_fma(odd, s2, ts_real(-0.010598318556726185));
  even = ts_fma(even, s2, ts_real(0.017683868859837627));
  odd = ts_fma(odd, s2, ts_real(-0.014468438417096042));
  even = ts_fma(even, s2, ts_real(0.03183098860456313));
  odd = ts_fma(odd, s2, ts_real(-0.022736419844410705));
  even = ts_fma(even, s2, ts_real(0.15915494309189515));
  odd = ts_fma(odd, s2, ts_real(-0.053051647697171044));
  {
    TS_REAL turns = ts_mul(t, ts_fma(odd, s, even));
    turns = ts_if(steep, ts_sub(ts_real(0.25), turns), turns);
    turns = ts_if(ts_less(x, zero), ts_sub(ts_real(0.5), turns), turns);
    turns = ts_if(ts_less(y, zero), ts_sub(ts_real(1.0), turns), turns);
    return ts_if(ts_less(turns, ts_real(1.0 - 0x1p-25)), turns, zero);
  }
}

/* A distance as it is stored: 0 where numbers beyond f64's range have made it NaN. */
TS_FN float ts_stored_distance(double distance) {
  return distance == distance ? (float)distance : 0.0f;
}
