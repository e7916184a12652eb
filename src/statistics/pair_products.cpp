#include "statistics/pair_products.hpp"

#include <cstring>
#include <type_traits>

#include "base/element.hpp"
#include "statistics/half.hpp"

namespace tessera::statistics {

namespace {

/// visit(element) as an f64, std::int64_t or std::uint64_t of the same value.
template <class Visit>
void visit_element(base::ElementType type, const std::byte* at, const Visit& visit) {
  base::with_element_type(type, [&]<class T>(T) {
    T element;
    std::memcpy(&element, at, sizeof(T));
    if (type == base::ElementType::f16) {
      visit(static_cast<double>(widen_half(static_cast<std::uint16_t>(element))));
    } else {
      using Integer = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
      visit(static_cast<std::conditional_t<std::is_floating_point_v<T>, double, Integer>>(element));
    }
  });
}

template <class A, class B>
void add_product(A a, B b, PairSums& sums) {
  if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
    sums.integers.add(a, b);
  } else if constexpr (std::is_integral_v<A>) {
    add_mixed_product(a, b, sums.reals);
  } else if constexpr (std::is_integral_v<B>) {
    add_mixed_product(b, a, sums.reals);
  } else {
    sums.reals.add_product(a, b);
  }
}

template <class T>
bool is_nan(T x) {
  return x != x;
}

}  // namespace

void add_products(std::span<const std::byte> x, std::span<const std::byte> y,
                  const ReductionSpec& spec, PairSums& sums) {
  const std::size_t x_bytes = base::element_bytes(spec.type);
  const std::size_t y_bytes = base::element_bytes(spec.with_type);
  for (std::size_t i = 0; i < x.size() / x_bytes; ++i) {
    visit_element(spec.type, &x[i * x_bytes], [&](auto a) {
      visit_element(spec.with_type, &y[i * y_bytes], [&](auto b) {
        if (spec.skip_nan && (is_nan(a) || is_nan(b))) return;
        add_product(a, b, sums);
      });
    });
  }
}

}  // namespace tessera::statistics
