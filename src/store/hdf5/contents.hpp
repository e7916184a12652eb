// The objects of any HDF5 file, by name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/element.hpp"
#include "job/arrays/array_input.hpp"
#include "store/arrays/packed_attributes.hpp"
#include "store/hdf5/shown_attributes.hpp"

namespace tessera::store {

struct Hdf5DatasetSummary {
  job::ArrayInput input;                           ///< how it is opened
  std::optional<base::ElementType> type;           ///< nothing if it does not hold numbers
  bool is_boolean = false;                         ///< `type` is u8
  std::shared_ptr<const PackedAttributes> packed;  ///< as in ArrayInfo
  std::string holds;                               ///< "f64", "strings", "records of 2 members"
  job::Shape shape;
  std::vector<std::string> dimensions;  ///< names; empty if there are none
  std::string problem;  ///< why it cannot be read although it holds numbers; "" if it can
};

struct Hdf5Contents {
  bool is_image = false;                   ///< an image of Tessera; then there is nothing else here
  std::vector<ShownAttribute> attributes;  ///< attributes of the file
  std::vector<Hdf5DatasetSummary> datasets;  ///< the first ones: "/a", "/group/b"
  bool more = false;                         ///< there are more datasets
};

/// Throws a missing error if the file does not exist, and a usage error if it is not HDF5.
Hdf5Contents list_hdf5(const std::string& path);

}  // namespace tessera::store
