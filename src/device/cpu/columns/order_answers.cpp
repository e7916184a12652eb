#include "device/cpu/columns/order_answers.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/element.hpp"

namespace tessera::device::cpu {

namespace {

using base::ElementType;
using job::Operation;

/// Writes value(output) of each output, `each` values apart.
template <class T, class ValueOf>
bool write_each(std::size_t outputs, std::span<std::byte> to, std::size_t each, std::size_t place,
                const ValueOf& value) {
  for (std::size_t o = 0; o < outputs; ++o) {
    const T x = value(o);
    std::memcpy(to.data() + (o * each + place) * sizeof(T), &x, sizeof(T));
  }
  return true;
}

class OrderAnswers {
 public:
  OrderAnswers(const OrderedOutputs& outputs, std::span<std::byte> to)
      : outputs_(outputs), order_(outputs.order), to_(to) {}

  bool extremes(const std::vector<statistics::OrderKey>& keys, std::size_t each,
                std::size_t place) const {
    if (keys.empty()) return false;
    const auto write = [&]<class T>(T) {
      return write_each<T>(keys.size(), to_, each, place, [&](std::size_t o) {
        if constexpr (std::is_floating_point_v<T>) {
          return static_cast<T>(no_order(o) ? std::numeric_limits<double>::quiet_NaN()
                                            : statistics::real_of(keys[o]));
        } else if constexpr (std::is_signed_v<T>) {
          return static_cast<T>(statistics::signed_of(keys[o]));
        } else {
          return static_cast<T>(keys[o]);
        }
      });
    };
    if (outputs_.type == ElementType::f16) return write(float());
    return base::with_element_type(outputs_.type, write);
  }

  bool largest() const {
    if (!base::is_floating(outputs_.type) || order_.least.empty()) return false;
    return write_each<double>(order_.least.size(), to_, 1, 0, [&](std::size_t o) {
      if (has_nan_result(o)) return std::numeric_limits<double>::quiet_NaN();
      if (count(o) == 0) return 0.0;
      return std::max(std::abs(statistics::real_of(order_.least[o])),
                      std::abs(statistics::real_of(order_.greatest[o])));
    });
  }

  bool places(const std::vector<std::int64_t>& index) const {
    return !index.empty() && write_each<std::int64_t>(index.size(), to_, 1, 0, [&](std::size_t o) {
      if (has_nan_result(o)) return order_.first_nan[o];
      return count(o) == 0 ? std::int64_t{-1} : index[o];
    });
  }

  bool counts() const {
    return !order_.nonzero.empty() &&
           write_each<std::int64_t>(order_.nonzero.size(), to_, 1, 0,
                                    [&](std::size_t o) { return order_.nonzero[o]; });
  }
  bool any() const {
    return !order_.nonzero.empty() &&
           write_each<std::uint8_t>(order_.nonzero.size(), to_, 1, 0, [&](std::size_t o) {
             return static_cast<std::uint8_t>(order_.nonzero[o] > 0);
           });
  }
  bool all() const {
    return !order_.nonzero.empty() &&
           write_each<std::uint8_t>(order_.nonzero.size(), to_, 1, 0, [&](std::size_t o) {
             return static_cast<std::uint8_t>(order_.nonzero[o] == count(o));
           });
  }

 private:
  bool has_nan_result(std::size_t o) const {
    return !outputs_.skip_nan && !outputs_.nans.empty() && outputs_.nans[o] > 0;
  }
  std::int64_t count(std::size_t o) const {
    const bool skips = outputs_.skip_nan && !outputs_.nans.empty();
    return outputs_.elements_each - (skips ? outputs_.nans[o] : 0);
  }
  bool no_order(std::size_t o) const { return has_nan_result(o) || count(o) == 0; }

  const OrderedOutputs& outputs_;
  const ColumnOrder& order_;
  std::span<std::byte> to_;
};

}  // namespace

bool write_order(Operation operation, const OrderedOutputs& outputs, std::span<std::byte> to) {
  const OrderAnswers answers(outputs, to);
  const ColumnOrder& order = outputs.order;
  switch (operation) {
    case Operation::min:
      return answers.extremes(order.least, 1, 0);
    case Operation::max:
      return answers.extremes(order.greatest, 1, 0);
    case Operation::minmax:
      return answers.extremes(order.least, 2, 0) && answers.extremes(order.greatest, 2, 1);
    case Operation::norminf:
      return answers.largest();
    case Operation::argmin:
      return answers.places(order.min_index);
    case Operation::argmax:
      return answers.places(order.greatest_index);
    case Operation::count_nonzero:
      return answers.counts();
    case Operation::any:
      return answers.any();
    case Operation::all:
      return answers.all();
    default:
      return false;
  }
}

}  // namespace tessera::device::cpu
