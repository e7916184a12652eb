#include "bilinear_loop.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/fma_clones.hpp"

namespace tessera::bench {

namespace {

double size_of(double re, double im) {
  return std::sqrt(re * re + im * im);
}

}  // namespace

BilinearLoop::BilinearLoop(const deep::ReferenceOrbit& orbit, double largest_c, double epsilon)
    : orbit_(orbit), levels_(1) {
  for (std::size_t m = 1; m + 1 < orbit.re.size(); ++m) {
    const double a_re = 2 * orbit.re[m];
    const double a_im = 2 * orbit.im[m];
    const double size = size_of(a_re, a_im);
    const double radius = std::max(0.0, epsilon * size - largest_c / size);
    levels_.front().push_back({radius * radius, a_re, a_im, 1, 0});
  }
  while (levels_.back().size() > 1) {
    const std::vector<Entry>& last = levels_.back();
    std::vector<Entry> next;
    for (std::size_t i = 0; i + 1 < last.size(); i += 2) {
      next.push_back(join(last[i], last[i + 1], largest_c));
    }
    levels_.push_back(std::move(next));
  }
}

/// x, then y.
BilinearLoop::Entry BilinearLoop::join(const Entry& x, const Entry& y, double largest_c) {
  const double after =
      (std::sqrt(y.radius2) - size_of(x.b_re, x.b_im) * largest_c) / size_of(x.a_re, x.a_im);
  const double radius = std::min(std::sqrt(x.radius2), std::max(0.0, after));
  return {radius * radius, y.a_re * x.a_re - y.a_im * x.a_im, y.a_re * x.a_im + y.a_im * x.a_re,
          y.a_re * x.b_re - y.a_im * x.b_im + y.b_re, y.a_re * x.b_im + y.a_im * x.b_re + y.b_im};
}

TESSERA_WITH_AND_WITHOUT_FMA std::uint32_t BilinearLoop::count(double c_re, double c_im,
                                                               std::uint32_t limit,
                                                               double bailout2) const {
  const double* const re = orbit_.re.data();
  const double* const im = orbit_.im.data();
  const std::size_t last = orbit_.re.size() - 1;
  double x = 0;
  double y = 0;
  double z2 = 0;
  std::size_t m = 0;
  std::uint32_t n = 0;
  while (n < limit) {
    const Entry* found = nullptr;
    std::size_t level = 0;
    if (m != 0) {
      for (std::size_t k = 0; k < levels_.size(); ++k) {
        const std::size_t at = (m - 1) >> k;
        if (at << k != m - 1 || at >= levels_[k].size() || !(z2 < levels_[k][at].radius2)) break;
        found = &levels_[k][at];
        level = k;
      }
    }
    if (found != nullptr) {
      const double next = std::fma(found->a_re, x, std::fma(-found->a_im, y, 0)) +
                          std::fma(found->b_re, c_re, -(found->b_im * c_im));
      y = std::fma(found->a_re, y, found->a_im * x) +
          std::fma(found->b_re, c_im, found->b_im * c_re);
      x = next;
      m += std::size_t{1} << level;
      n += std::uint32_t{1} << level;
    } else {
      const double w_re = std::fma(2.0, re[m], x);
      const double w_im = std::fma(2.0, im[m], y);
      const double next = std::fma(x, w_re, -(y * w_im)) + c_re;
      y = std::fma(x, w_im, y * w_re) + c_im;
      x = next;
      ++m;
      ++n;
    }
    const double full_re = re[m] + x;
    const double full_im = im[m] + y;
    const double full2 = std::fma(full_re, full_re, full_im * full_im);
    if (full2 > bailout2) return n;
    z2 = std::fma(x, x, y * y);
    if (full2 < z2 || m >= last) {
      x = full_re;
      y = full_im;
      z2 = full2;
      m = 0;
    }
  }
  return limit;
}

}  // namespace tessera::bench
