/* Generated arrays, in the subset that C++, CUDA C++ and OpenCL C share. Each element is a function
 * of its index alone, so that every device generates the same array, starting with any part. The
 * entry defines what kernels/pixel/pixel_math.h needs, and TS_U32, TS_U64 and ts_div(a, b), rounded
 * to nearest. Conversions of integers round to nearest. docs/numerics.md, "Generated elements". */

/* The 128 bits of a block; the first half belongs to the element with the even index. */
typedef struct {
  TS_U64 bits[2];
} TsRandomBlock;

/* Random numbers of different streams are independent, also with the same seed. */
#define TS_UNIFORM_STREAM 0u
#define TS_NORMAL_STREAM 1u

/* Philox4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, Parallel random numbers: as
 * easy as 1, 2, 3, SC 2011. */
TS_FN TsRandomBlock ts_random_block(TS_U64 number, TS_U32 stream, TS_U64 seed) {
  TS_U32 key0 = (TS_U32)seed, key1 = (TS_U32)(seed >> 32);
  TS_U32 c0 = (TS_U32)number, c1 = (TS_U32)(number >> 32), c2 = stream, c3 = 0;
  TsRandomBlock block;
  for (int round = 0; round < 10; ++round) {
    const TS_U64 product0 = (TS_U64)0xD2511F53u * c0;
    const TS_U64 product1 = (TS_U64)0xCD9E8D57u * c2;
    c0 = (TS_U32)(product1 >> 32) ^ c1 ^ key0;
    c1 = (TS_U32)product1;
    c2 = (TS_U32)(product0 >> 32) ^ c3 ^ key1;
    c3 = (TS_U32)product0;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  block.bits[0] = (TS_U64)c1 << 32 | c0;
  block.bits[1] = (TS_U64)c3 << 32 | c2;
  return block;
}

/* The bits of element `index` of random:uniform. Integers use the upper bits. */
TS_FN TS_U64 ts_uniform_bits(TS_U64 index, TS_U64 seed) {
  return ts_random_block(index / 2, TS_UNIFORM_STREAM, seed).bits[index % 2];
}

/* In [0, 1), a multiple of 2^-53. */
TS_FN double ts_uniform_f64(TS_U64 bits) {
  return ts_mul((double)(bits >> 11), 1.0 / 9007199254740992.0);
}

/* In [0, 1), a multiple of 2^-24. */
TS_FN float ts_uniform_f32(TS_U64 bits) {
  return (float)ts_mul((double)(bits >> 40), 1.0 / 16777216.0);
}

/* ln(v) for a normal v, with an error below one unit in the last place. v = 2^e (1 + f) with 1 + f
 * in [sqrt(1/2), sqrt(2)). With s = f / (2 + f) and z = s^2, ln(1 + f) = f - s (f - z L(z)); L has
 * degree 6 and interpolates at the Chebyshev nodes. e is multiplied by the upper 42 bits of ln 2,
 * and by the rest. */
TS_FN double ts_ln(double v) {
  const TS_U64 above = ts_to_bits(v) - 0x3FE6A09E667F3BCD;
  /* e + 2048, which is positive, because the subtraction above is modulo 2^64. */
  const TS_U64 shifted = ((above >> 52) + 2048) & 0xFFF;
  const double e = ts_sub((double)(TS_U32)shifted, 2048.0);
  const double f = ts_sub(ts_from_bits(ts_to_bits(v) - (above & 0xFFF0000000000000)), ts_real(1.0));
  const double s = ts_div(f, ts_add(f, 2.0));
  const double z = ts_mul(s, s);
  double rest = ts_fma(0.14616449685043406, z, 0.15331721600556042);
  rest = ts_fma(rest, z, 0.18182889125261723);
  rest = ts_fma(rest, z, 0.2222221113479508);
  rest = ts_fma(rest, z, 0.28571428625975487);
  rest = ts_fma(rest, z, 0.39999999999899505);
  rest = ts_fma(rest, z, 0.666666666666667);
  rest = ts_mul(s, ts_fnma(rest, z, f));
  rest = ts_fnma(e, 5.497923018708371e-14, rest);
  return ts_fma(e, 0.6931471805598903, ts_sub(f, rest));
}

/* sin(pi/2 t) for |t| <= 1/2. */
TS_FN double ts_sin_quarter(double t) {
  const double z = ts_mul(t, t);
  double sum = ts_fma(5.633933781537854e-08, z, -3.59864335298231e-06);
  sum = ts_fma(sum, z, 0.0001604411507421909);
  sum = ts_fma(sum, z, -0.004681754132340976);
  sum = ts_fma(sum, z, 0.07969262624604301);
  sum = ts_fma(sum, z, -0.6459640975062443);
  sum = ts_fma(sum, z, 1.5707963267948966);
  return ts_mul(sum, t);
}

/* cos(pi/2 t) for |t| <= 1/2. */
TS_FN double ts_cos_quarter(double t) {
  const double z = ts_mul(t, t);
  double sum = ts_fma(-6.329396344967424e-09, z, 4.710678405505227e-07);
  sum = ts_fma(sum, z, -2.5202039028029178e-05);
  sum = ts_fma(sum, z, 0.0009192602745468447);
  sum = ts_fma(sum, z, -0.020863480763340773);
  sum = ts_fma(sum, z, 0.2536695079010478);
  sum = ts_fma(sum, z, -1.2337005501361697);
  return ts_fma(sum, z, 1.0);
}

/* Both numbers of a block of random:normal: r cos a and r sin a with r = sqrt(-2 ln u). u in (0, 1]
 * comes from the first half of the block and the angle a from the second. G. E. P. Box, M. E.
 * Muller, A note on the generation of random normal deviates, Annals of Mathematical Statistics 29
 * (1958). */
typedef struct {
  double value[2];
} TsNormalPair;

TS_FN TsNormalPair ts_normal_pair(TS_U64 number, TS_U64 seed) {
  const TsRandomBlock block = ts_random_block(number, TS_NORMAL_STREAM, seed);
  const double u = ts_mul(ts_add((double)block.bits[0], 0.5), 1.0 / 18446744073709551616.0);
  const double r = ts_sqrt(ts_mul(-2.0, ts_ln(u)));
  /* a = (quarter + t) pi/2, t in [-1/2, 1/2). */
  const TS_U64 fraction = block.bits[1] << 2;
  const TS_U32 quarter = (TS_U32)(block.bits[1] >> 62);
  const int negative = fraction >> 63 != 0;
  const double size =
      ts_mul((double)(negative ? 0 - fraction : fraction), 1.0 / 18446744073709551616.0);
  const double t = negative ? -size : size;
  const double sine = ts_mul(r, ts_sin_quarter(t));
  const double cosine = ts_mul(r, ts_cos_quarter(t));
  const double x = quarter % 2 != 0 ? -sine : cosine;
  const double y = quarter % 2 != 0 ? cosine : sine;
  TsNormalPair pair;
  pair.value[0] = quarter >= 2 ? -x : x;
  pair.value[1] = quarter >= 2 ? -y : y;
  return pair;
}

/* Element `index` of random:normal. For f4, it is rounded to the nearest. */
TS_FN double ts_normal(TS_U64 index, TS_U64 seed) {
  const TsNormalPair pair = ts_normal_pair(index / 2, seed);
  return index % 2 != 0 ? pair.value[1] : pair.value[0];
}

/* The spacing of `count` numbers from start to stop, as in numpy.linspace. For one number it is
 * stop - start, as in NumPy, where it is multiplied by 0. */
TS_FN double ts_spacing(TS_U64 count, double start, double stop) {
  const double all = ts_sub(stop, start);
  return count > 1 ? ts_div(all, (double)(count - 1)) : all;
}

/* Element `index` of linspace:start,stop, as in numpy.linspace: each operation is rounded, the last
 * number is `stop`. step = ts_spacing(count, start, stop). If that is 0 after rounding, the index
 * is divided first. */
TS_FN double ts_spaced(TS_U64 index, TS_U64 count, double start, double stop, double step) {
  if (index + 1 == count && count > 1) return stop;
  if (step == 0.0 && count > 1) {
    const double part = ts_div((double)index, (double)(count - 1));
    return ts_add(ts_mul(part, ts_sub(stop, start)), start);
  }
  return ts_add(ts_mul((double)index, step), start);
}
