// How stored elements become numbers: the CF conventions and the NetCDF User's Guide
// (docs/packed-data.md). Pure: knows no files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/element.hpp"
#include "base/missing_markers.hpp"
#include "job/arrays/array_input.hpp"
#include "store/arrays/array_source.hpp"
#include "store/arrays/packed_attributes.hpp"

namespace tessera::reduce {

/// The treatment of a missing element.
enum class MissingAs {
  no_element,  ///< a marker stands for it; reductions leave it out
  nan,         ///< for expressions; integers become f8
  shown  ///< as no_element, but integers that f8 holds become f8: others can be joined to them
};

/// The bounds of what is valid; what lies outside is missing, but for NaN. Inclusive.
struct ValidRange {
  double least = 0, greatest = 0;                      ///< limits of floats
  std::int64_t min_integer = 0, greatest_integer = 0;  ///< limits of integers; for u8 the bits
};

struct ElementRule {
  base::ElementType stored = base::ElementType::f64;  ///< as in the file
  base::ElementType seen = base::ElementType::f64;    ///< after _Unsigned
  base::ElementType value = base::ElementType::f64;   ///< type of the elements that come out
  bool to_bool = false;                               ///< 0 stays, everything else is 1
  std::optional<double> scale, offset;                ///< numbers of the type `value`
  // Missing values among the seen elements.
  std::vector<double> missing_reals;
  std::vector<std::int64_t> missing_integers;  ///< for u8 the bits
  bool nan_is_missing = false;
  std::optional<ValidRange> range;
  /// Set if elements may be missing and are no elements.
  std::optional<base::MissingMarkers> markers;

  bool may_miss() const {
    return !missing_reals.empty() || !missing_integers.empty() || nan_is_missing || range;
  }
};

struct MadeRule {
  bool needed = false;  ///< otherwise the stored elements are the numbers, without a word
  ElementRule rule;
  std::vector<std::string> notes;  ///< for the user: what is decoded, what does not count
};

/// Throws a usage error that names the attribute where the attributes of `array` are ambiguous.
MadeRule make_rule(const store::ArrayInfo& array, const job::Decoding& decoding, MissingAs as);

}  // namespace tessera::reduce
