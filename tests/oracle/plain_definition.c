/* The value of a pixel, copied from docs/numerics.md and not from the program: plain loops, no shortcut, the logarithms
 * of the C library in long double. render_truth.py compiles it, with contraction off, and calls it. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* fma() is one instruction where the processor has it; the bits are the same by definition. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__FMA__)
#define WITH_AND_WITHOUT_FMA __attribute__((target_clones("fma", "default")))
#else
#define WITH_AND_WITHOUT_FMA
#endif

/* One pixel: its count, and in *smooth m + 1 - log2(ln|z_m| / ln 256), or the limit where the orbit never stopped. */
WITH_AND_WITHOUT_FMA
static uint32_t pixel(double c_re, double c_im, uint32_t limit, double bailout, int want_smooth, double* smooth) {
  double x = 0, y = 0, x_m = 0, y_m = 0;
  uint64_t n = 0, count = limit, m = 0;
  int found = 0, stopped = 0;
  for (; n < limit && !stopped; n += !stopped) {
    const double radius2 = fma(x, x, y * y);
    if (!found && radius2 > 65536.0) found = 1, m = n, x_m = x, y_m = y;
    if (radius2 > bailout * bailout) {
      stopped = 1;
      count = n;
    } else {
      const double t = fma(-y, y, c_re);
      y = fma(x + x, y, c_im);
      x = fma(x, x, t);
    }
  }
  *smooth = limit;
  if (!stopped || !want_smooth) return (uint32_t)count;
  for (; !found; ++n) {
    if (fma(x, x, y * y) > 65536.0) {
      found = 1, m = n, x_m = x, y_m = y;
    } else {
      const double t = fma(-y, y, c_re);
      y = fma(x + x, y, c_im);
      x = fma(x, x, t);
    }
  }
  *smooth = (double)(m + 1 - log2l(logl(hypotl(x_m, y_m)) / logl(256)));
  return (uint32_t)count;
}

WITH_AND_WITHOUT_FMA
void plain_image(double center_re, double center_im, double width, int64_t columns, int64_t rows, uint32_t limit,
                 double bailout, int want_smooth, uint32_t* iterations, double* smooth) {
  const double step = width / (double)columns;
  for (int64_t i = 0; i < rows; ++i) {
    const double c_im = fma((double)rows / 2 - ((double)i + 0.5), step, center_im);
    for (int64_t j = 0; j < columns; ++j) {
      const double c_re = fma((double)j + 0.5 - (double)columns / 2, step, center_re);
      const int64_t at = i * columns + j;
      iterations[at] = pixel(c_re, c_im, limit, bailout, want_smooth, &smooth[at]);
    }
  }
}

/* CRC-32C (Castagnoli, reflected), bit by bit through a table of one byte. */
uint32_t plain_crc32c(uint32_t crc, const unsigned char* bytes, size_t count) {
  uint32_t table[256];
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) ? 0x82F63B78u : 0);
    table[byte] = rest;
  }
  crc = ~crc;
  for (size_t i = 0; i < count; ++i) crc = (crc >> 8) ^ table[(crc ^ bytes[i]) & 255];
  return ~crc;
}
