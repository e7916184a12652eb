#include "statistics/output_partials.hpp"

#include <algorithm>
#include <functional>

namespace tessera::statistics {

namespace {

/// A component with one number for each output, or for each bin of an output.
template <class T, class Combine>
struct Numbers {
  std::vector<T> OutputPartials::*all;
  T Partial::*one;  ///< null for bins: a Partial has none
  bool (*wanted)(const OutputSpec&);
  Combine combine;
  /// Always counted, and empty while all counts are 0.
  bool sparse = false;

  T identity() const { return one == nullptr ? T{} : Partial().*one; }
  std::size_t width(const OutputSpec& spec) const {
    return one == nullptr ? spec.bins->count() : 1;
  }
};

// Clang before 17 deduces no arguments of aggregates by itself.
template <class T, class Combine>
Numbers(std::vector<T> OutputPartials::*, T Partial::*, bool (*)(const OutputSpec&), Combine,
        bool = false) -> Numbers<T, Combine>;

/// A component with an exact sum of floats for each output.
template <class Sum>
struct Sums {
  LimbColumns<Sum> OutputPartials::*all;
  Sum Partial::*one;
  bool ReductionSpec::*flag;

  bool wanted(const OutputSpec& spec) const {
    return base::is_floating(spec.spec.type) && spec.spec.*flag;
  }
};

template <class Sum>
Sums(LimbColumns<Sum> OutputPartials::*, Sum Partial::*, bool ReductionSpec::*) -> Sums<Sum>;

constexpr auto kLower = [](const auto& a, const auto& b) { return std::min(a, b); };
constexpr auto kHigher = [](const auto& a, const auto& b) { return std::max(a, b); };
constexpr auto kMerged = [](IntegerSums a, const IntegerSums& b) {
  a.merge(b);
  return a;
};
constexpr std::int64_t Partial::*kNoMember = nullptr;

bool never(const OutputSpec&) {
  return false;
}
bool wants_nonzero(const OutputSpec& spec) {
  return spec.spec.nonzero;
}
bool wants_places(const OutputSpec& spec) {
  return spec.spec.places;
}
bool wants_extremes(const OutputSpec& spec) {
  return spec.spec.extremes;
}
bool wants_integers(const OutputSpec& spec) {
  return !base::is_floating(spec.spec.type) &&
         (spec.spec.sum || spec.spec.absolute || spec.spec.squares);
}
bool wants_bins(const OutputSpec& spec) {
  return spec.bins.has_value();
}

/// Calls numbers() or sums() with each component, in the order in which write() writes them.
template <class OfNumbers, class OfSums>
void for_each_component(const OfNumbers& numbers, const OfSums& sums) {
  using All = OutputPartials;
  constexpr std::plus<> kAdded;
  numbers(Numbers{&All::nans, &Partial::nans, never, kAdded, true});
  numbers(Numbers{&All::positive_infinities, &Partial::positive_infinities, never, kAdded, true});
  numbers(Numbers{&All::negative_infinities, &Partial::negative_infinities, never, kAdded, true});
  numbers(Numbers{&All::nonzero, &Partial::nonzero, wants_nonzero, kAdded});
  numbers(Numbers{&All::first_nan, &Partial::first_nan, wants_places, kLower});
  numbers(Numbers{&All::least, &Partial::least, wants_extremes, kLower});
  numbers(Numbers{&All::greatest, &Partial::greatest, wants_extremes, kHigher});
  numbers(Numbers{&All::at_least, &Partial::at_least, wants_places, first_least});
  numbers(Numbers{&All::at_greatest, &Partial::at_greatest, wants_places, first_greatest});
  numbers(Numbers{&All::integers, &Partial::integers, wants_integers, kMerged});
  numbers(Numbers{&All::histogram, kNoMember, wants_bins, kAdded});
  sums(Sums{&All::sum, &Partial::sum, &ReductionSpec::sum});
  sums(Sums{&All::absolute, &Partial::absolute, &ReductionSpec::absolute});
  sums(Sums{&All::squares, &Partial::squares, &ReductionSpec::squares});
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
  const auto n = static_cast<std::size_t>(output_count);
  outputs = output_count;
  elements = 0;
  missing.clear();
  for_each_component(
      [&](const auto& component) {
        auto& values = this->*component.all;
        values.clear();
        if (!component.wanted(output_spec)) return;
        values.assign(n * component.width(output_spec), component.identity());
      },
      [&](const auto& component) {
        (this->*component.all).reset(component.wanted(output_spec) ? output_count : 0);
      });
}

void OutputPartials::merge(const OutputPartials& other) {
  elements += other.elements;
  if (missing.empty()) {
    missing = other.missing;
  } else if (!other.missing.empty()) {
    std::ranges::transform(missing, other.missing, missing.begin(), std::plus<>());
  }
  for_each_component(
      [&](const auto& component) {
        auto& into = this->*component.all;
        const auto& from = other.*component.all;
        if (from.empty()) return;
        if (into.empty()) into.assign(from.size(), component.identity());
        std::ranges::transform(into, from, into.begin(), component.combine);
      },
      [&](const auto& component) { (this->*component.all).merge(other.*component.all); });
}

Partial OutputPartials::partial(const OutputSpec& output_spec, std::int64_t output) const {
  const auto at = static_cast<std::size_t>(output);
  Partial one;
  one.missing.fill = missing.empty() ? 0 : missing[at];
  one.elements = elements - one.missing.fill;
  for_each_component(
      [&](const auto& component) {
        const auto& values = this->*component.all;
        if (component.one != nullptr && !values.empty()) one.*component.one = values[at];
      },
      [&](const auto& component) {
        if (!component.wanted(output_spec)) return;
        one.*component.one = (this->*component.all).sum(output);
      });
  if (base::is_floating(output_spec.spec.type)) add_specials(output_spec.spec, one);
  return one;
}

void OutputPartials::put(const OutputSpec& output_spec, std::int64_t output, const Partial& one) {
  const auto at = static_cast<std::size_t>(output);
  for_each_component(
      [&](const auto& component) {
        auto& values = this->*component.all;
        if (component.sparse && values.empty()) {
          values.assign(static_cast<std::size_t>(outputs), component.identity());
        }
        if (component.one != nullptr && !values.empty()) values[at] = one.*component.one;
      },
      [&](const auto& component) {
        if (!component.wanted(output_spec)) return;
        (this->*component.all).add(output, one.*component.one);
      });
}

void OutputPartials::write(base::ByteWriter& to) const {
  to.put(outputs, elements, missing);
  const auto write_one = [&](const auto& component) { to.put(this->*component.all); };
  for_each_component(write_one, write_one);
}

void OutputPartials::read(base::ByteReader& from) {
  from.read(outputs);
  from.read(elements);
  from.read(missing);
  const auto read_one = [&](const auto& component) { from.read(this->*component.all); };
  for_each_component(read_one, read_one);
}

std::uint64_t OutputPartials::bytes_each(const OutputSpec& output_spec) {
  std::uint64_t bytes = 0;
  for_each_component(
      [&](const auto& component) {
        if (!component.sparse && !component.wanted(output_spec)) return;
        bytes += component.width(output_spec) * sizeof(component.identity());
      },
      [&](const auto& component) {
        if (component.wanted(output_spec)) bytes += sizeof(Partial().*component.one);
      });
  return bytes;
}

}  // namespace tessera::statistics
