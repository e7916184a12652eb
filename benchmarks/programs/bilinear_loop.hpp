// A pixel's count as deep zoomers usually compute it: perturbation with rebasing in f64, and
// bilinear approximation over aligned blocks of 2^k iterations, one pixel after the other. After
// C. Heiland-Allen, Fraktaler-3 2.1, for z alone.
#pragma once

#include <cstdint>
#include <vector>

#include "deep/reference_orbit.hpp"

namespace tessera::bench {

class BilinearLoop {
 public:
  /// Terms below `epsilon`, relative to those that remain, are dropped.
  BilinearLoop(const deep::ReferenceOrbit& orbit, double largest_c, double epsilon);

  std::uint32_t count(double c_re, double c_im, std::uint32_t limit, double bailout2) const;

 private:
  /// z' = a z + b c for |z|^2 < radius2, over 2^level iterations.
  struct Entry {
    double radius2, a_re, a_im, b_re, b_im;
  };
  static Entry join(const Entry& x, const Entry& y, double largest_c);

  const deep::ReferenceOrbit& orbit_;
  std::vector<std::vector<Entry>> levels_;  ///< entry i of level k begins at m = (i << k) + 1
};

}  // namespace tessera::bench
