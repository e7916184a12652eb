#include "statistics/output_partials.hpp"

#include <algorithm>
#include <functional>

namespace tessera::statistics {

namespace {

template <class Sum>
void add_counted(Sum& sum, const Partial& counts, bool skip_nan, bool signs) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!skip_nan) sum.add_nans(counts.nans);
  if (counts.positive_infinities > 0) sum.add(kInfinity);
  if (counts.negative_infinities > 0) sum.add(signs ? -kInfinity : kInfinity);
}

/// Either is empty while all counts are 0.
void add_counts(std::vector<std::int64_t>& counts, const std::vector<std::int64_t>& more) {
  if (counts.empty()) {
    counts = more;
  } else if (!more.empty()) {
    std::ranges::transform(counts, more, counts.begin(), std::plus<>());
  }
}

}  // namespace

void add_specials(const ReductionSpec& spec, Partial& one) {
  if (spec.sum) add_counted(one.sum, one, spec.skip_nan, true);
  if (spec.absolute) add_counted(one.absolute, one, spec.skip_nan, false);
  if (spec.squares) add_counted(one.squares, one, spec.skip_nan, false);
}

template <class OfNumbers>
void OutputPartials::for_each_own_column(const OfNumbers& numbers) {
  constexpr auto kRequested =
      +[](const ReductionSpec& spec) { return !base::is_floating(spec.type) && spec.has_sums(); };
  constexpr auto kMerged = [](IntegerSums a, const IntegerSums& b) {
    a.merge(b);
    return a;
  };
  numbers(NumberColumn{&OutputPartials::integers, &Partial::integers, kRequested, kMerged});
}

void OutputPartials::reset(const OutputSpec& output_spec, std::int64_t output_count) {
  const auto count = static_cast<std::size_t>(output_count);
  outputs = output_count;
  elements = 0;
  missing.clear();
  histogram.assign(output_spec.bins ? count * output_spec.bins->count() : 0, 0);
  clear_columns();
  grow_columns(output_spec.spec, count);
}

void OutputPartials::merge(const OutputPartials& other) {
  elements += other.elements;
  add_counts(missing, other.missing);
  add_counts(histogram, other.histogram);
  merge_columns(other, static_cast<std::size_t>(outputs), std::identity());
}

Partial OutputPartials::partial(const OutputSpec& output_spec, std::int64_t output) const {
  const auto at = static_cast<std::size_t>(output);
  Partial one;
  one.missing.fill = missing.empty() ? 0 : missing[at];
  one.elements = elements - one.missing.fill;
  copy_to(one, output_spec.spec, at, [at](const auto& sums) { return sums.sum(at); });
  const bool of_pairs = output_spec.spec.pairing != job::Pairing::none;
  if (base::is_floating(output_spec.spec.type) && !of_pairs) add_specials(output_spec.spec, one);
  return one;
}

void OutputPartials::put(const OutputSpec& output_spec, std::int64_t output, const Partial& one) {
  put_columns(output_spec.spec, static_cast<std::size_t>(outputs), static_cast<std::size_t>(output),
              one);
}

void OutputPartials::write(base::ByteWriter& to) const {
  to.put(outputs, elements, missing, histogram);
  write_columns(to);
}

void OutputPartials::read(base::ByteReader& from) {
  from.read(outputs);
  from.read(elements);
  from.read(missing);
  from.read(histogram);
  read_columns(from);
}

std::uint64_t OutputPartials::bytes_each(const OutputSpec& output_spec) {
  constexpr std::uint64_t kNotFinite = 3 * sizeof(std::int64_t);  // counts of NaN and infinities
  const std::size_t bins = output_spec.bins ? output_spec.bins->count() : 0;
  return kNotFinite + bins * sizeof(std::int64_t) + column_bytes_each(output_spec.spec);
}

}  // namespace tessera::statistics
