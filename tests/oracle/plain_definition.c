/* The value of a pixel, copied from docs/numerics.md and docs/formulas.md and not from the program: plain loops, no shortcut, the logarithms
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

/* As render_truth.py numbers them. */
enum { MANDELBROT, JULIA, BURNING_SHIP, TRICORN, MULTIBROT };

struct formula {
  int id, degree;
  double c_re, c_im; /* of a Julia set */
};

#define ALWAYS static inline __attribute__((always_inline))

/* u + iv = (u + iv)(x + iy) */
ALWAYS void multiply(double* u, double* v, double x, double y) {
  const double re = fma(-*v, y, *u * x);
  *v = fma(*u, y, *v * x);
  *u = re;
}

ALWAYS void square(double* u, double* v) {
  const double re = fma(-*v, *v, *u * *u);
  *v = (*u + *u) * *v;
  *u = re;
}

/* z^degree + c for degrees from 3 on: powers of z as listed in docs/formulas.md. */
ALWAYS void power(int degree, double* x, double* y, double c_re, double c_im) {
  double u = *x, v = *y;
  switch (degree) {
    case 4: case 5: square(&u, &v); break;
    case 6: case 7: square(&u, &v); multiply(&u, &v, *x, *y); break;
    case 8: square(&u, &v); square(&u, &v); break;
    default: break;
  }
  if (degree % 2) {
    square(&u, &v);
    const double re = fma(u, *x, fma(-v, *y, c_re));
    *y = fma(u, *y, fma(v, *x, c_im));
    *x = re;
  } else {
    *x = fma(u, u, fma(-v, v, c_re));
    *y = fma(u + u, v, c_im);
  }
}

ALWAYS void step(const struct formula* f, double* x, double* y, double c_re, double c_im) {
  const double t = fma(-*y, *y, c_re);
  switch (f->id) {
    case BURNING_SHIP: *y = fma(fabs(*x + *x), fabs(*y), c_im); break;
    case TRICORN: *y = fma(-(*x + *x), *y, c_im); break;
    case MULTIBROT: power(f->degree, x, y, c_re, c_im); return;
    default: *y = fma(*x + *x, *y, c_im);
  }
  *x = fma(*x, *x, t);
}

/* One pixel: its count, and in *smooth m + 1 - log_d(ln|z_m| / ln 256), or the limit where the orbit never stopped. */
WITH_AND_WITHOUT_FMA
static uint32_t pixel(const struct formula* f, double re, double im, uint32_t limit, double bailout, int want_smooth,
                      double* smooth) {
  const int julia = f->id == JULIA;
  const double c_re = julia ? f->c_re : re, c_im = julia ? f->c_im : im;
  double x = julia ? re : 0, y = julia ? im : 0, x_m = 0, y_m = 0;
  uint64_t n = 0, count = limit, m = 0;
  int found = 0, stopped = 0;
  for (; n < limit && !stopped; n += !stopped) {
    const double radius2 = fma(x, x, y * y);
    if (!found && radius2 > 65536.0) found = 1, m = n, x_m = x, y_m = y;
    if (!(radius2 <= bailout * bailout)) {
      stopped = 1;
      count = n;
    } else {
      step(f, &x, &y, c_re, c_im);
    }
  }
  *smooth = limit;
  if (!stopped || !want_smooth) return (uint32_t)count;
  for (; !found; ++n) {
    if (fma(x, x, y * y) > 65536.0) {
      found = 1, m = n, x_m = x, y_m = y;
    } else {
      step(f, &x, &y, c_re, c_im);
    }
  }
  *smooth = (double)(m + 1 - log2l(logl(hypotl(x_m, y_m)) / logl(256)) / log2l(f->degree));
  return (uint32_t)count;
}

WITH_AND_WITHOUT_FMA
void plain_image(int id, int degree, double julia_re, double julia_im, double center_re, double center_im, double width,
                 int64_t columns, int64_t rows, uint32_t limit, double bailout, int want_smooth, uint32_t* iterations,
                 double* smooth) {
  const struct formula f = {id, degree, julia_re, julia_im};
  const double step_px = width / (double)columns;
  for (int64_t i = 0; i < rows; ++i) {
    const double im = fma((double)rows / 2 - ((double)i + 0.5), step_px, center_im);
    for (int64_t j = 0; j < columns; ++j) {
      const double re = fma((double)j + 0.5 - (double)columns / 2, step_px, center_re);
      const int64_t at = i * columns + j;
      iterations[at] = pixel(&f, re, im, limit, bailout, want_smooth, &smooth[at]);
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
