#include "statistics/order/lane_keys.hpp"

#include <algorithm>

#include "statistics/order/order_answers.hpp"
#include "statistics/output_values.hpp"

namespace tessera::statistics {

namespace {

/// Where the elements of a piece belong: calls visit(output, index in it) for each, in the order of
/// memory.
template <class Visit>
void for_each_place(std::span<const plan::AxisLevel> levels, std::int64_t output,
                    std::int64_t index, const Visit& visit) {
  if (levels.empty()) return visit(output, index);
  const plan::AxisLevel& level = levels.front();
  for (std::int64_t i = 0; i < level.extent; ++i) {
    for_each_place(levels.subspan(1), output + i * level.output_step, index + i * level.index_step,
                   visit);
  }
}

/// What stands for an element that is not there: NaN, or the index -1.
Value no_value(const AnswerType& result) {
  if (base::is_floating(result.type)) return {"nan", std::numeric_limits<double>::quiet_NaN()};
  return {"-1", {}};
}

}  // namespace

void LaneKeys::begin(std::int64_t outputs) {
  outputs_ = outputs;
  keys_.resize(static_cast<std::size_t>(outputs * elements_each_));
}

void LaneKeys::add(std::span<const std::byte> elements, const plan::AxisPiece& piece) {
  std::vector<ElementKey> keys;
  keys.reserve(elements.size() / base::element_bytes(type_));
  for_each_key(elements, type_, [&](ElementKey key) { keys.push_back(key); });
  const ElementKey* next = keys.data();
  for_each_place(piece.levels, 0, piece.first_index, [&](std::int64_t output, std::int64_t index) {
    keys_[static_cast<std::size_t>(output * elements_each_ + index)] = *next++;
  });
}

void LaneKeys::write_answers(const TileAnswers& answers) {
  const OrderPasses passes(job_, type_, elements_each_, 0);
  const auto each = static_cast<std::size_t>(elements_each_);
  for (std::int64_t output = 0; output < outputs_; ++output) {
    Partial counts;
    const OrderFindings found = passes.find_in(
        std::span(keys_).subspan(static_cast<std::size_t>(output) * each, each), counts);
    answers.write(output, counts, found);
  }
}

void TileAnswers::write(std::int64_t output, const Partial& counts,
                        const OrderFindings& found) const {
  std::span<std::byte> rest = to;
  for (const AnswerType& result : results) {
    const auto all = rest.first(result.bytes_each() * static_cast<std::size_t>(outputs));
    rest = rest.subspan(all.size());
    if (!is_order_statistic(result.operation)) continue;
    std::vector<Value> values = order_answer(result.operation, job, type, counts, found);
    values.resize(static_cast<std::size_t>(result.values_each), no_value(result));
    std::byte* at = &all[static_cast<std::size_t>(output) * result.bytes_each()];
    for (const Value& value : values) {
      put_value(value, result, at);
      at += base::element_bytes(result.type);
    }
  }
}

}  // namespace tessera::statistics
