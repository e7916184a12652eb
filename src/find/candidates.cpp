#include "find/candidates.hpp"

namespace tessera::find {
Sighting sighting_of(std::int64_t period, const Complex& z, const Derivatives& derivatives,
                     const ScaledReal& least) {
  const Linear& of_c = derivatives.of_c();
  return {period, solved(of_c, z), least / of_c.norm(), derivatives.size()};
}

/// The norm is enough for most points.
bool Candidates::is_near() const {
  const Linear& of_c = derivatives_.of_c();
  if (!(magnitude(pass_.leading()) < radius_ * of_c.norm())) return false;
  return of_c.is_analytic() ||
         (!of_c.least().is_zero() && magnitude(solved(of_c, pass_.leading())) < radius_);
}

std::optional<Sighting> Candidates::next() {
  while (!has_ended() && pass_.n() < most_) {
    if (pass_.n() > 0) least_ = kernels::least(least_, magnitude(pass_.leading()));
    derivatives_.step(pass_.leading());
    pass_.step();
    if (is_near()) return sighting_of(pass_.n(), pass_.leading(), derivatives_, least_);
  }
  return std::nullopt;
}

}  // namespace tessera::find
