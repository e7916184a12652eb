#include "statistics/order/lane_keys.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "statistics/each_place.hpp"
#include "statistics/number_pairs.hpp"
#include "statistics/order/order_answers.hpp"
#include "statistics/order/weighted_passes.hpp"
#include "statistics/output_values.hpp"

namespace tessera::statistics {

namespace {

/// The place holder of an element that is not there: NaN, or the index -1.
Value no_value(const AnswerType& result) {
  if (base::is_floating(result.type)) return {"nan", std::numeric_limits<double>::quiet_NaN()};
  const bool is_index = meaning_of(result.operation).type == ResultType::top_index;
  return {is_index ? "-1" : "none", {}};
}

/// The key of the element with these bits.
ElementKey key_of_element(std::uint64_t bits, base::ElementType type) {
  ElementKey found = 0;
  base::with_element_type(type, [&]<class T>(T) {
    const auto word = static_cast<KeyWord<T>>(bits);
    for_each_key(std::as_bytes(std::span(&word, 1)), type, [&](ElementKey key) { found = key; });
  });
  return found;
}

}  // namespace

LaneKeys::LaneKeys(const job::ReduceJob& job, base::ElementType type, std::int64_t elements_each,
                   const std::optional<base::MissingMarkers>& missing)
    : job_(job), type_(type), elements_each_(elements_each) {
  if (!missing) return;
  missing_ = {key_of_element(missing->fill, type), key_of_element(missing->range, type)};
}

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
  if (job_.weights) return write_weighted_answers(answers);
  const OrderPasses passes(job_, type_, elements_each_, 0);
  const auto each = static_cast<std::size_t>(elements_each_);
  for (std::int64_t output = 0; output < outputs_; ++output) {
    Partial counts;
    const auto own = std::span(keys_).subspan(static_cast<std::size_t>(output) * each, each);
    if (missing_.empty()) {
      const OrderFindings found = passes.find_in(own, counts);
      answers.write(output, counts, found);
      continue;
    }
    const auto there = present(own);
    counts.missing.fill = static_cast<std::int64_t>(each - there.size());
    OrderFindings found = passes.find_in(there, counts);
    for (TopElement& element : found.top) {
      element.index = places_[static_cast<std::size_t>(element.index)];
    }
    answers.write(output, counts, found);
  }
}

void LaneKeys::write_weighted_answers(const TileAnswers& answers) {
  const WeightedPasses passes(job_, 0);
  const auto each = static_cast<std::size_t>(elements_each_);
  for (std::int64_t output = 0; output < outputs_; ++output) {
    Partial counts;
    weighted_.clear();
    const auto own = std::span(keys_).subspan(static_cast<std::size_t>(output) * each, each);
    for (std::size_t i = 0; i < each; i += 2) {
      add_weighted(real_of_key(own[i], type_), real_of_key(own[i + 1], type_), counts, weighted_);
    }
    const OrderFindings found = passes.find_in(weighted_, counts);
    answers.write(output, counts, found);
  }
}

std::span<ElementKey> LaneKeys::present(std::span<ElementKey> keys) {
  places_.clear();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (std::ranges::find(missing_, keys[i]) != missing_.end()) continue;
    keys[places_.size()] = keys[i];
    places_.push_back(static_cast<std::int64_t>(i));
  }
  return keys.first(places_.size());
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
      if (!put_value(value, result, at)) {
        throw base::run_error("--op {}: an output has too few elements, and {} holds no NaN",
                              job::operation_name(result.operation),
                              base::element_code(result.type));
      }
      at += base::element_bytes(result.type);
    }
  }
}

}  // namespace tessera::statistics
