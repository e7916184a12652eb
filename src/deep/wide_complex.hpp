// Complex numbers of 190 bits (kernels/deep/wide.h) from those of multiprecision.
#pragma once

#include "deep/big_real.hpp"
#include "kernels/deep/wide.hpp"

namespace tessera::deep {

using kernels::WideComplex;

/// Rounded down.
WideComplex wide_complex(const BigComplex& z);

}  // namespace tessera::deep
