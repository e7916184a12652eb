// Expressions written by hand, with a plain sum or maximum of their values, one core.
#pragma once

#include <cstddef>

namespace tessera::bench {

/// `count` is a multiple of four vectors.
double sum_of_products(const double* a, const double* b, std::size_t count);  ///< of a*b + 1
double sum_of_products(const float* a, const float* b, std::size_t count);
double largest_root(const double* u, const double* v, std::size_t count);  ///< of sqrt(u*u + v*v)
double largest_root(const float* u, const float* v, std::size_t count);
double largest(const double* x, std::size_t count);
double largest(const float* x, std::size_t count);

}  // namespace tessera::bench
