/* The product of all elements by a thread of a GPU: the algorithms of kernels/exact/product.hpp and
 * kernels/exact/wide_log2.hpp with 64-bit integers, with the same bits. */

TS_FN TsWide ts_wide(TS_U64 low, TS_U64 high) {
  TsWide wide;
  wide.low = low;
  wide.high = high;
  return wide;
}

TS_FN void ts_subtract_wide(TsWide* from, const TsWide* x) {
  const TS_U64 borrow = from->low < x->low ? 1 : 0;
  from->low -= x->low;
  from->high -= x->high + borrow;
}

/* a b / 2^shift, rounded down; shift is from 1 to 127, and not 64. */
TS_FN TsWide ts_scaled_product(TS_U64 a, TS_U64 b, int shift) {
  const TS_U64 low = a * b;
  const TS_U64 high = TS_MUL_HIGH(a, b);
  if (shift > 64) return ts_wide(high >> (shift - 64), 0);
  return ts_wide(low >> shift | high << (64 - shift), high >> shift);
}

TS_FN void ts_add_log(TsWide* sum, TS_GLOBAL const TS_U64* table, TS_U64 entry) {
  ts_add_wide(sum, table[entry * TS_LOG_WORDS + 1], table[entry * TS_LOG_WORDS + 2]);
}

/* wide_log2() of kernels/exact/wide_log2.hpp, line by line. */
TS_FN TsWide ts_wide_log2(TS_U64 significand, TS_GLOBAL const TS_U64* table) {
  const TS_U64 inverse = 0xB8AA3B295C17F0BB, inverse_rest = 0xBE87FED0;
  const TS_U64 third = 0x3D8E13B87407FAE9, quarter = 0x2E2A8ECA5705FC2E;
  const TS_U64 i = significand >> 45 & 127;
  const TS_U64 once = significand * table[i * TS_LOG_WORDS];
  const TS_U64 j = TS_LOG_SECOND + ((once - 0x4000000000000000) >> 48);
  const TS_U64 second = table[j * TS_LOG_WORDS];
  const TS_U64 twice = once * second;
  const TS_U64 twice_high = TS_MUL_HIGH(once, second);
  const TS_U64 k = TS_LOG_THIRD + ((twice_high - 0x100000) << 1 | twice >> 63);
  const TS_U64 third_factor = table[k * TS_LOG_WORDS];
  /* r, below 2^94 in units of 2^-114. */
  const TS_U64 r_low = twice * third_factor;
  const TS_U64 r_high =
      TS_MUL_HIGH(twice, third_factor) + twice_high * third_factor - 0x4000000000000;
  const TS_U64 upper = r_high << 32 | r_low >> 32;
  const TS_U64 lower = r_low & 0xFFFFFFFFu;
  const TS_U64 short_r = r_high << 34 | r_low >> 30;
  const TS_U64 square = ts_scaled_product(short_r, short_r, 63).low;
  const TS_U64 cube = TS_MUL_HIGH(square, short_r);
  TsWide sum = ts_wide(0, 0);
  TsWide term;
  ts_add_log(&sum, table, i);
  ts_add_log(&sum, table, j);
  ts_add_log(&sum, table, k);
  term = ts_scaled_product(upper, inverse, 17);
  ts_add_wide(&sum, term.low, term.high);
  term = ts_scaled_product(lower, inverse, 49);
  ts_add_wide(&sum, term.low, term.high);
  term = ts_scaled_product(upper, inverse_rest, 49);
  ts_add_wide(&sum, term.low, term.high);
  term = ts_scaled_product(square, inverse, 41);
  ts_subtract_wide(&sum, &term);
  term = ts_scaled_product(cube, third, 60);
  ts_add_wide(&sum, term.low, term.high);
  term = ts_scaled_product(TS_MUL_HIGH(cube, short_r), quarter, 80);
  ts_subtract_wide(&sum, &term);
  return sum;
}

typedef struct {
  TS_U64 whole; /* signed, modulo 2^64 */
  TsWide fraction, odd;
  TS_U32 nans, infinities, zeros, negatives;
} TsProduct;

TS_FN TsProduct ts_no_product(void) {
  TsProduct none;
  none.whole = 0;
  none.fraction = ts_wide(0, 0);
  none.odd = ts_wide(1, 0);
  none.nans = none.infinities = none.zeros = none.negatives = 0;
  return none;
}

/* Multiplies *odd by a number of 128 bits; 0 if the product, or *odd before, has more than 128
 * bits. */
TS_FN void ts_multiply_odd(TsWide* odd, TS_U64 low, TS_U64 high) {
  const TS_U64 beyond = TS_MUL_HIGH(odd->high, low) | TS_MUL_HIGH(odd->low, high);
  const TS_U64 across = odd->high * low + odd->low * high;
  const TS_U64 upper = TS_MUL_HIGH(odd->low, low) + across;
  const int fits = (odd->high == 0 || high == 0) && beyond == 0 && upper >= across;
  *odd = fits ? ts_wide(odd->low * low, upper) : ts_wide(0, 0);
}

TS_FN void ts_add_fraction(TsProduct* product, const TsWide* fraction) {
  ts_add_wide(&product->fraction, fraction->low, fraction->high);
  product->whole +=
      product->fraction.high < fraction->high ||
              (product->fraction.high == fraction->high && product->fraction.low < fraction->low)
          ? 1
          : 0;
}

TS_FN void ts_take_factor(TsProduct* product, double x, TS_GLOBAL const TS_U64* table,
                          TS_U32 flags) {
  const TS_U64 bits = ts_to_bits(x);
  const TS_U32 field = (TS_U32)(bits >> 52) & 0x7FF;
  TS_U64 significand = bits & 0xFFFFFFFFFFFFF;
  TS_U64 exponent = (TS_U64)field - 1023;
  TsWide logarithm;
  if (field == 0x7FF && significand != 0 && (flags & TS_SKIP_NAN)) return;
  product->negatives += (TS_U32)(bits >> 63);
  if (field == 0x7FF) {
    product->nans += significand != 0 ? 1 : 0;
    product->infinities += significand != 0 ? 0 : 1;
    return;
  }
  if (field == 0 && significand == 0) {
    product->zeros += 1;
    return;
  }
  if (field != 0) {
    significand |= 0x10000000000000;
  } else {
    const TS_U32 shift = (TS_U32)TS_LEADING_ZEROS(significand) - 11;
    significand <<= shift;
    exponent = (TS_U64)0 - 1022 - shift;
  }
  if (product->odd.low != 0 || product->odd.high != 0) {
    const TS_U64 lowest = significand & (0 - significand);
    ts_multiply_odd(&product->odd, significand >> (63 - TS_LEADING_ZEROS(lowest)), 0);
  }
  logarithm = ts_wide_log2(significand, table);
  product->whole += exponent;
  ts_add_fraction(product, &logarithm);
}

/* The words of the three kinds of sums, as described at struct TsReduced. */
TS_FN TsWords ts_product_words(const TsProduct* product, TS_U32 kind) {
  if (kind == 0) {
    return ts_words(product->whole, product->fraction.low, product->fraction.high, 0);
  }
  if (kind == 1) return ts_words(product->odd.low, product->odd.high, 0, 0);
  return ts_words(product->nans, product->infinities, product->zeros, product->negatives);
}

TS_FN TsWords ts_join_products(const TsWords* mine, const TsWords* other, TS_U32 kind,
                               TsSpill* spill) {
  (void)spill;
  if (kind == 0) {
    TsProduct product = ts_no_product();
    const TsWide fraction = ts_wide(other->b, other->c);
    product.whole = mine->a + other->a;
    product.fraction = ts_wide(mine->b, mine->c);
    ts_add_fraction(&product, &fraction);
    return ts_product_words(&product, 0);
  }
  if (kind == 1) {
    TsWide odd = ts_wide(mine->a, mine->b);
    ts_multiply_odd(&odd, other->a, other->b);
    return ts_words(odd.low, odd.high, 0, 0);
  }
  return ts_words(mine->a + other->a, mine->b + other->b, mine->c + other->c, mine->d + other->d);
}
