// Order statistics along axes: the keys of all elements of some outputs, in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/missing_markers.hpp"
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
  /// `missing`: the elements that stand for missing ones.
  LaneKeys(const job::ReduceJob& job, base::ElementType type, std::int64_t elements_each,
           const std::optional<base::MissingMarkers>& missing);

  /// Bytes of an output.
  static std::uint64_t bytes_each(std::int64_t elements_each) {
    return sizeof(ElementKey) * static_cast<std::uint64_t>(elements_each);
  }
  /// Bytes of a tile.
  static std::uint64_t bytes(const job::ReduceJob& job, std::uint64_t outputs,
                             std::int64_t elements_each) {
    return (outputs + (job.weights ? 1 : 0)) * bytes_each(elements_each);
  }
  void begin(std::int64_t outputs);
  /// Adds the elements of a piece of the tile.
  void add(std::span<const std::byte> elements, const plan::AxisPiece& piece);
  /// Call it after all pieces were added.
  void write_answers(const TileAnswers& answers);

 private:
  /// Of pairs of numbers and weights.
  void write_weighted_answers(const TileAnswers& answers);
  /// Moves the keys of the elements that are there to the front, and their indices to places_.
  std::span<ElementKey> present(std::span<ElementKey> keys);

  const job::ReduceJob& job_;
  base::ElementType type_;
  std::int64_t elements_each_;
  std::int64_t outputs_ = 0;
  std::vector<ElementKey> missing_;    ///< the keys of missing elements
  std::vector<std::int64_t> places_;   ///< places of the output at hand
  std::vector<WeightedKey> weighted_;  ///< of the output at hand, of pairs
  std::vector<ElementKey> keys_;  ///< keys of one output behind those of another, each in C order
};

}  // namespace tessera::statistics
