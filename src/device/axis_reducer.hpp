// The interface of axis reductions on a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "device/reducer.hpp"
#include "job/arrays/operations.hpp"
#include "plan/axis_plan.hpp"
#include "statistics/elements.hpp"
#include "statistics/order/order_passes.hpp"
#include "statistics/output_partials.hpp"

namespace tessera::device {

/// Reduces one tile after another on a device. Driven by one thread.
class AxisReducer : public ElementReducer {
 public:
  /// From the next begin() on, keeps the elements of a tile for find_order(). A tile has at most
  /// `outputs` outputs, and each of them `elements_each` elements. False if the device has no room
  /// for that or is no faster than a core; it keeps nothing then.
  virtual bool keep_elements(std::int64_t /*outputs*/, std::int64_t /*elements_each*/,
                             const statistics::OrderPasses&) {
    return false;
  }
  virtual void begin(std::int64_t outputs) = 0;
  /// Adds the elements of `piece`. If batch_bytes() is not 0, they must not change until
  /// wait(); otherwise they are consumed when add() returns.
  virtual void add(const statistics::Elements& elements, const plan::AxisPiece& piece) = 0;
  virtual void wait() {}

  /// Call it after the last add(), before specials(), answer() and finish().
  virtual void end() {}
  /// Counts of NaN and infinities since begin().
  virtual statistics::SpecialCounts specials() const = 0;
  /// Computes the answers of an operation for everything since begin(), in the types of
  /// result_of(). False if the device has no faster way than through partial results. Call it
  /// before finish().
  virtual bool answer(job::Operation, const statistics::AnswerParameters&,
                      std::span<std::byte> /*to*/) {
    return false;
  }
  /// Finds what the order statistics of every output need, if keep_elements() returned true. The
  /// counts are those of elements and NaN. Call it before finish().
  using VisitFindings = std::function<void(std::int64_t output, const statistics::Partial& counts,
                                           const statistics::OrderFindings& found)>;
  virtual void find_order(const statistics::OrderPasses&, const VisitFindings&) {}
  /// Moves the partial results since begin() to `to`; every output received `elements_each`
  /// elements. Afterwards nothing may be added.
  virtual void finish(std::int64_t elements_each, statistics::OutputPartials& to) = 0;
};

}  // namespace tessera::device
