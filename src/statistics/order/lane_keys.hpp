// Order statistics along axes: the keys of all elements of some outputs, in memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "job/arrays/reduce_job.hpp"
#include "plan/axis_plan.hpp"
#include "statistics/operations.hpp"
#include "statistics/order/order_passes.hpp"

namespace tessera::statistics {

/// Where the answers about a tile go.
struct TileAnswers {
  const job::ReduceJob& job;
  base::ElementType type;
  std::int64_t outputs;
  std::span<const AnswerType> results;
  /// Has room for those of all results, one operation after the other.
  std::span<std::byte> to;

  /// Writes the order statistics among the results. `counts`: of elements and NaN.
  void write(std::int64_t output, const Partial& counts, const OrderFindings& found) const;
};

class LaneKeys {
 public:
  LaneKeys(const job::ReduceJob& job, base::ElementType type, std::int64_t elements_each)
      : job_(job), type_(type), elements_each_(elements_each) {}

  /// Bytes of an output.
  static std::uint64_t bytes_each(std::int64_t elements_each) {
    return sizeof(ElementKey) * static_cast<std::uint64_t>(elements_each);
  }
  void begin(std::int64_t outputs);
  /// Adds the elements of a piece of the tile.
  void add(std::span<const std::byte> elements, const plan::AxisPiece& piece);
  /// Call it after all pieces were added.
  void write_answers(const TileAnswers& answers);

 private:
  const job::ReduceJob& job_;
  base::ElementType type_;
  std::int64_t elements_each_;
  std::int64_t outputs_ = 0;
  std::vector<ElementKey> keys_;  ///< of one output behind those of another, each in C order
};

}  // namespace tessera::statistics
