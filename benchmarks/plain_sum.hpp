// What exact sums are measured against: the same vectors and four chains, without being exact.
#pragma once

#include <cstddef>

namespace tessera::bench {

/// The sum in the numbers' own type.
double plain_sum(const double* x, std::size_t count);
double plain_sum(const float* x, std::size_t count);

/// The sum and the sum of squares, added up so that neither is left out.
double plain_moments(const double* x, std::size_t count);
double plain_moments(const float* x, std::size_t count);

double plain_dot(const double* x, const double* y, std::size_t count);
double plain_dot(const float* x, const float* y, std::size_t count);

/// Of each column; a multiple of two vectors of them, and of eight rows.
void plain_column_sums(const double* x, std::size_t rows, std::size_t columns, double* sums);
void plain_column_sums(const float* x, std::size_t rows, std::size_t columns, float* sums);

}  // namespace tessera::bench
