// A part of a virtual dataset, and which elements of which dataset stand there. Private to this
// folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "plan/array_pieces.hpp"
#include "store/hdf5/handle.hpp"

namespace tessera::store {

struct VirtualMapping {
  std::string file;     ///< "." = the virtual dataset's own; "%b" = the number of a block
  std::string dataset;  ///< likewise with "%b"
  Handle space;         ///< selection of the virtual dataset
  Handle source_space;  ///< selection of the source dataset
  /// The dimension of the virtual dataset along which the mapping has no end.
  std::optional<std::size_t> unlimited;
  /// It has no end and takes one source dataset after the other, by their numbers.
  bool counts_blocks = false;
};

std::size_t count_mappings(const CheckedCall& h5, const Handle& creation);
VirtualMapping mapping_at(const CheckedCall& h5, const Handle& creation, std::size_t index);

/// A name with the number of a block for "%b", and "%" for "%%".
std::string name_of_block(const std::string& name, std::uint64_t block);

/// Elements that the selection has within a dataset of that shape; nothing if it does not fit into
/// it. A selection without an end ends there.
std::optional<std::uint64_t> selected_elements(const CheckedCall& h5, const Handle& space,
                                               const plan::Shape& shape);

/// Where the selection lies within an array of that shape.
plan::Box bounds_of(const CheckedCall& h5, const Handle& space, const plan::Shape& shape);

/// A block of a mapping that counts them: the box of its elements.
plan::Box block_of(const CheckedCall& h5, const VirtualMapping& mapping, std::uint64_t block);

}  // namespace tessera::store
