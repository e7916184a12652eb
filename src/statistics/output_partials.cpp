#include "statistics/output_partials.hpp"

#include <algorithm>
#include <functional>

namespace tessera::statistics {

namespace {

template <class T, class Combine>
void combine(std::vector<T>& into, const std::vector<T>& other, const Combine& combined) {
  if (other.empty()) return;
  if (into.empty()) into.resize(other.size());
  std::transform(into.begin(), into.end(), other.begin(), into.begin(), combined);
}

template <class T>
void write_vector(base::ByteWriter& to, const std::vector<T>& values) {
  to.put(values.size()).put_bytes(std::as_bytes(std::span(values)));
}

template <class T>
void read_vector(base::ByteReader& from, std::vector<T>& values) {
  values.resize(from.get<std::size_t>());
  std::ranges::copy(from.get_bytes(values.size() * sizeof(T)),
                    std::as_writable_bytes(std::span(values)).begin());
}

template <class Partials, class Visit>
void for_each_vector(Partials& partials, const Visit& visit) {
  visit(partials.nans);
  visit(partials.positive_infinities);
  visit(partials.negative_infinities);
  visit(partials.nonzero);
  visit(partials.first_nan);
  visit(partials.least);
  visit(partials.greatest);
  visit(partials.at_least);
  visit(partials.at_greatest);
  visit(partials.integers);
  visit(partials.histogram);
}

ExtremeIndex first_least(ExtremeIndex a, const ExtremeIndex& b) {
  Partial both;
  both.offer_least(a);
  both.offer_least(b);
  return both.at_least;
}

ExtremeIndex first_greatest(ExtremeIndex a, const ExtremeIndex& b) {
  Partial both;
  both.offer_greatest(a);
  both.offer_greatest(b);
  return both.at_greatest;
}

IntegerSums added(IntegerSums a, const IntegerSums& b) {
  a.sum += b.sum;
  a.absolute += b.absolute;
  a.squares_low += b.squares_low;
  a.squares_high += b.squares_high;
  return a;
}

template <class Sum>
void add_counted(Sum& sum, const Partial& counts, bool skip_nan, bool signs) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!skip_nan) sum.add_nans(counts.nans);
  if (counts.positive_infinities > 0) sum.add(kInfinity);
  if (counts.negative_infinities > 0) sum.add(signs ? -kInfinity : kInfinity);
}

}  // namespace

void add_specials(const ReductionSpec& spec, Partial& one) {
  if (spec.sum) add_counted(one.sum, one, spec.skip_nan, true);
  if (spec.absolute) add_counted(one.absolute, one, spec.skip_nan, false);
  if (spec.squares) add_counted(one.squares, one, spec.skip_nan, false);
}

void OutputPartials::reset(const OutputSpec& output_spec, std::int64_t output_count) {
  const ReductionSpec& spec = output_spec.spec;
  const auto n = static_cast<std::size_t>(output_count);
  const Partial none;
  outputs = output_count;
  elements = 0;
  for_each_vector(*this, [](auto& values) { values.clear(); });
  if (spec.nonzero) nonzero.assign(n, 0);
  if (spec.places) {
    first_nan.assign(n, ExtremeIndex::kNowhere);
    at_least.assign(n, none.at_least);
    at_greatest.assign(n, none.at_greatest);
  }
  if (spec.extremes) {
    least.assign(n, none.least);
    greatest.assign(n, none.greatest);
  }
  const bool floating = base::is_floating(spec.type);
  const bool sums = spec.sum || spec.absolute || spec.squares;
  if (!floating && sums) integers.assign(n, {});
  if (output_spec.bins) histogram.assign(n * output_spec.bins->count(), 0);
  sum.reset(floating && spec.sum ? output_count : 0);
  absolute.reset(floating && spec.absolute ? output_count : 0);
  squares.reset(floating && spec.squares ? output_count : 0);
}

void OutputPartials::merge(const OutputPartials& other) {
  elements += other.elements;
  for (auto member : {&OutputPartials::nans, &OutputPartials::positive_infinities,
                      &OutputPartials::negative_infinities, &OutputPartials::nonzero,
                      &OutputPartials::histogram}) {
    combine(this->*member, other.*member, std::plus<>());
  }
  const auto lower = [](const auto& a, const auto& b) { return std::min(a, b); };
  const auto higher = [](const auto& a, const auto& b) { return std::max(a, b); };
  combine(first_nan, other.first_nan, lower);
  combine(least, other.least, lower);
  combine(greatest, other.greatest, higher);
  combine(at_least, other.at_least, first_least);
  combine(at_greatest, other.at_greatest, first_greatest);
  combine(integers, other.integers, added);
  sum.merge(other.sum);
  absolute.merge(other.absolute);
  squares.merge(other.squares);
}

Partial OutputPartials::partial(const OutputSpec& output_spec, std::int64_t output) const {
  const auto at = static_cast<std::size_t>(output);
  const auto set = [at](auto& member, const auto& values) {
    if (!values.empty()) member = values[at];
  };
  Partial one;
  one.elements = elements;
  set(one.nans, nans);
  set(one.positive_infinities, positive_infinities);
  set(one.negative_infinities, negative_infinities);
  set(one.nonzero, nonzero);
  set(one.first_nan, first_nan);
  set(one.least, least);
  set(one.greatest, greatest);
  set(one.at_least, at_least);
  set(one.at_greatest, at_greatest);
  set(one.integers, integers);
  if (!base::is_floating(output_spec.spec.type)) return one;
  if (output_spec.spec.sum) one.sum = sum.sum(output);
  if (output_spec.spec.squares) one.squares = squares.sum(output);
  if (output_spec.spec.absolute) one.absolute = absolute.sum(output);
  add_specials(output_spec.spec, one);
  return one;
}

void OutputPartials::write(base::ByteWriter& to) const {
  to.put(outputs).put(elements);
  for_each_vector(*this, [&](const auto& values) { write_vector(to, values); });
  sum.write(to);
  absolute.write(to);
  squares.write(to);
}

void OutputPartials::read(base::ByteReader& from) {
  outputs = from.get<std::int64_t>();
  elements = from.get<std::int64_t>();
  for_each_vector(*this, [&](auto& values) { read_vector(from, values); });
  sum.read(from);
  absolute.read(from);
  squares.read(from);
}

std::uint64_t OutputPartials::bytes_each(const OutputSpec& output_spec) {
  const ReductionSpec& spec = output_spec.spec;
  const bool floating = base::is_floating(spec.type);
  const bool sums = spec.sum || spec.absolute || spec.squares;
  std::uint64_t bytes = 3 * sizeof(std::int64_t);
  if (spec.nonzero) bytes += sizeof(std::int64_t);
  if (spec.places) bytes += sizeof(std::int64_t) + 2 * sizeof(ExtremeIndex);
  if (spec.extremes) bytes += 2 * sizeof(OrderKey);
  if (!floating && sums) bytes += sizeof(IntegerSums);
  if (floating && spec.sum) bytes += sizeof(kernels::Superaccumulator);
  if (floating && spec.absolute) bytes += sizeof(kernels::Superaccumulator);
  if (floating && spec.squares) bytes += sizeof(kernels::SquareAccumulator);
  if (output_spec.bins) bytes += output_spec.bins->count() * sizeof(std::int64_t);
  return bytes;
}

}  // namespace tessera::statistics
