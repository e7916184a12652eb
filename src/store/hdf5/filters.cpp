#include "store/hdf5/filters.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "codec/lzf.hpp"
#include "store/hdf5/pipeline.hpp"

namespace tessera::store {

namespace {

/// HDF5 1.10 finds the n-th chunk by counting to n, so the masks of all would take quadratic time.
// crossed by: test_more_chunks_than_masks_are_looked_at
constexpr hsize_t kMaxMasks = 4096;

/// HDF5's callback: replaces the buffer by the decoded one; 0 = failed.
std::size_t undo_lzf(unsigned flags, std::size_t count, const unsigned* values,
                     std::size_t stored_bytes, std::size_t* buffer_bytes, void** buffer) noexcept {
  constexpr std::size_t kChunkBytes = 2;
  if ((flags & H5Z_FLAG_REVERSE) == 0) return 0;
  void* raw = nullptr;
  try {
    const std::span<const std::byte> stream(static_cast<const std::byte*>(*buffer), stored_bytes);
    const std::size_t bytes = codec::lzf_decoded_bytes(stream);
    // HDF5 reads a whole chunk from the buffer, however short it is.
    if (count > kChunkBytes && bytes < values[kChunkBytes]) return 0;
    raw = H5allocate_memory(std::max<std::size_t>(bytes, 1), false);
    if (raw == nullptr) return 0;
    codec::decode_lzf(stream, {static_cast<std::byte*>(raw), bytes});
    H5free_memory(*buffer);
    *buffer = raw;
    *buffer_bytes = bytes;
    return bytes;
  } catch (const base::Error&) {
    H5free_memory(raw);
    return 0;
  }
}

/// Version 0.3.5 of the plug-in, as in Debian 12, takes everything but LZ4 for uncompressed:
/// H5Dread then returns other numbers, or kills the process. What version is there is not known.
bool is_misread(const PlacedFilter& filter) {
  if (filter.id != kBitshuffleFilter) return false;
  const BlockCompressor compressor = block_compressor(filter);
  return compressor != BlockCompressor::none && compressor != BlockCompressor::lz4;
}

bool hdf5_undoes(const PlacedFilter& filter) {
  return !is_misread(filter) && H5Zfilter_avail(filter.id) > 0;
}

enum class Masks { all_skip, some_apply, too_many };

/// Whether the masks of the stored chunks say that the filter was skipped.
Masks masks_of(const CheckedCall& h5, const Handle& dataset, unsigned place) {
  const Handle space(h5("H5Dget_space", H5Dget_space, dataset.id()));
  hsize_t chunks = 0;
  h5("H5Dget_num_chunks", H5Dget_num_chunks, dataset.id(), space.id(), &chunks);
  for (hsize_t i = 0; i < std::min(chunks, kMaxMasks); ++i) {
    std::array<hsize_t, H5S_MAX_RANK> origin{};
    unsigned mask = 0;
    haddr_t address = 0;
    hsize_t bytes = 0;
    h5("H5Dget_chunk_info", H5Dget_chunk_info, dataset.id(), space.id(), i, origin.data(), &mask,
       &address, &bytes);
    if ((mask >> place & 1) == 0) return Masks::some_apply;
  }
  return chunks > kMaxMasks ? Masks::too_many : Masks::all_skip;
}

}  // namespace

void add_lzf_to_hdf5() {
  static const bool added = [] {
    static constexpr H5Z_class2_t kLzf = {.version = H5Z_CLASS_T_VERS,
                                          .id = kLzfFilter,
                                          .encoder_present = 0,
                                          .decoder_present = 1,
                                          .name = "lzf",
                                          .can_apply = nullptr,
                                          .set_local = nullptr,
                                          .filter = undo_lzf};
    CheckedCall("HDF5")("H5Zregister", H5Zregister, static_cast<const void*>(&kLzf));
    return true;
  }();
  static_cast<void>(added);
}

void check_filters(const CheckedCall& h5, const Handle& dataset, const std::string& name) {
  const Handle creation(h5("H5Dget_create_plist", H5Dget_create_plist, dataset.id()));
  if (h5("H5Pget_layout", H5Pget_layout, creation.id()) != H5D_CHUNKED) return;
  const std::vector<PlacedFilter> pipeline = pipeline_of(h5, creation);
  for (std::size_t place = 0; place < pipeline.size(); ++place) {
    const PlacedFilter& filter = pipeline[place];
    if (hdf5_undoes(filter)) continue;
    const Masks masks = masks_of(h5, dataset, static_cast<unsigned>(place));
    if (masks == Masks::all_skip) continue;
    // Among too many, H5Dread fails at the first chunk that needs the plug-in.
    if (is_misread(filter)) {
      throw base::missing_error(
          "{}: was written through the filter {} ({}) with the compressor {}, which plug-ins in "
          "use "
          "misread without an error; tessera does not read it: copy it with another filter",
          name, static_cast<int>(filter.id), filter.name,
          static_cast<unsigned>(block_compressor(filter)));
    }
    if (masks == Masks::too_many) continue;
    throw base::missing_error(
        "{}: was written through the filter {} ({}), and HDF5 finds no plug-in for it", name,
        static_cast<int>(filter.id), filter.name);
  }
}

bool hdf5_undoes_all(const CheckedCall& h5, const Handle& creation) {
  return std::ranges::all_of(pipeline_of(h5, creation), hdf5_undoes);
}

}  // namespace tessera::store
