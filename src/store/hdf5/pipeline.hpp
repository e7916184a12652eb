// The filters of a dataset as its file names them, and those of them that codec undoes. Private to
// this folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codec/filter.hpp"
#include "store/hdf5/handle.hpp"

namespace tessera::store {

inline constexpr H5Z_filter_t kLzfFilter = 32000;
inline constexpr H5Z_filter_t kBitshuffleFilter = 32008;

/// A filter at its place in a pipeline.
struct PlacedFilter {
  H5Z_filter_t id = H5Z_FILTER_NONE;
  std::string name;              ///< as the file gives it
  std::vector<unsigned> values;  ///< its parameters
};

/// In the order of encoding. `creation`: of a chunked dataset.
std::vector<PlacedFilter> pipeline_of(const CheckedCall& h5, const Handle& creation);

/// What compresses the blocks of bitshuffle; other numbers too.
enum class BlockCompressor : unsigned { none = 0, lz4 = 2, zstd = 3 };
BlockCompressor block_compressor(const PlacedFilter& bitshuffle);

/// The filters as codec undoes them; nothing if it does not know one, or not with its parameters,
/// or this build lacks its library, or if the sizes between them are not known.
std::optional<codec::Filters> known_filters(const std::vector<PlacedFilter>& pipeline);

}  // namespace tessera::store
