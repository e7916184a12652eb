// The dimensions of an array: their names, and the arrays that have their coordinates.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "job/arrays/array_input.hpp"

namespace tessera::store {

struct Dimension {
  std::string name;  ///< "" = none
  /// Arrays of one dimension that, joined, may have the coordinates, with the slice of the array
  /// already; they need not be there.
  std::vector<job::ArrayInput> coordinates{};
  /// Taken one after the other of the joined coordinates.
  job::ArraySlice slices{};

  friend bool operator==(const Dimension&, const Dimension&) = default;
};

/// An attribute of a coordinate: units, calendar, ...
using TextAttribute = std::pair<std::string, std::string>;

/// Attributes that say what a coordinate is, of all texts that it has: those about storage, and
/// those that name other arrays, are left out.
std::vector<TextAttribute> meant_texts(std::vector<TextAttribute> texts);

/// Whether a name is of those that are given where there is none, and so says nothing.
bool is_made_up(const std::string& name);

/// Empty if no dimension has a name.
std::vector<std::string> names_of(const std::vector<Dimension>& dimensions);

/// Dimensions with these names; none if all names are empty.
std::vector<Dimension> dimensions_named(const std::vector<std::string>& names);

/// The input of an array beside the one that `input` names, which has the name `dataset`:
/// "/group/t" and "lat" make "/group/lat".
job::ArrayInput beside(const job::ArrayInput& input, const std::string& dataset,
                       const std::string& name);

/// Dimensions of an array at `dataset` of a file in which each dimension has its coordinates in an
/// array of its name beside it.
std::vector<Dimension> dimensions_beside(const job::ArrayInput& input, const std::string& dataset,
                                         const std::vector<std::string>& names);

}  // namespace tessera::store
