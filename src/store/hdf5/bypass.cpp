#include "store/hdf5/bypass.hpp"

#include <vector>

#include "store/hdf5/pipeline.hpp"

namespace tessera::store {

namespace {

/// HDF5 versions whose answers about chunks and offsets the tests compare with H5Dread.
bool is_known_version(const CheckedCall& h5) {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  h5("H5get_libversion", H5get_libversion, &major, &minor, &release);
  return major == 1 && (minor == 10 || minor == 14);
}

/// A single file that nobody writes, whose bytes are at the offsets that HDF5 reports.
bool is_plain_file(const Hdf5Dataset& data) {
  unsigned intent = 0;
  data.h5("H5Fget_intent", H5Fget_intent, data.file.id(), &intent);
  const Handle access(data.h5("H5Fget_access_plist", H5Fget_access_plist, data.file.id()));
  return intent == H5F_ACC_RDONLY &&
         data.h5("H5Pget_driver", H5Pget_driver, access.id()) == H5FD_SEC2;
}

bool is_usual(const Hdf5Dataset& data) {
  return data.plain && !data.info.refers_elsewhere && is_known_version(data.h5) &&
         is_plain_file(data);
}

/// Chunk indices whose answers about single chunks agree with H5Dread. An extensible array is right
/// only if the first dimension is the unlimited one, because HDF5 numbers its elements under that
/// assumption.
bool is_known_index(const Hdf5Dataset& data) {
  H5D_chunk_index_t index = H5D_CHUNK_IDX_BTREE;
  data.h5("H5Dget_chunk_index_type", H5Dget_chunk_index_type, data.dataset.id(), &index);
  switch (index) {
    case H5D_CHUNK_IDX_BTREE:
    case H5D_CHUNK_IDX_SINGLE:
    case H5D_CHUNK_IDX_NONE:
    case H5D_CHUNK_IDX_FARRAY:
    case H5D_CHUNK_IDX_BT2:
      return true;
    case H5D_CHUNK_IDX_EARRAY: {
      const Handle space(data.h5("H5Dget_space", H5Dget_space, data.dataset.id()));
      std::vector<hsize_t> sides(data.info.shape.size());
      data.h5("H5Sget_simple_extent_dims", H5Sget_simple_extent_dims, space.id(), nullptr,
              sides.data());
      return sides.front() == H5S_UNLIMITED;
    }
    default:
      return false;
  }
}

/// False if chunks at the edges are stored in another way than the others.
bool all_chunks_alike(const Hdf5Dataset& data) {
  unsigned options = 0;
  data.h5("H5Pget_chunk_opts", H5Pget_chunk_opts, data.creation.id(), &options);
  return options == 0;
}

}  // namespace

std::optional<std::uint64_t> stretch_offset(const Hdf5Dataset& data) {
  if (data.h5("H5Pget_layout", H5Pget_layout, data.creation.id()) != H5D_CONTIGUOUS ||
      !is_usual(data)) {
    return std::nullopt;
  }
  // If nothing was ever written, H5Dget_offset() returns HADDR_UNDEF or, after a user block, a
  // wrong offset.
  H5D_space_status_t status = H5D_SPACE_STATUS_NOT_ALLOCATED;
  data.h5("H5Dget_space_status", H5Dget_space_status, data.dataset.id(), &status);
  if (status != H5D_SPACE_STATUS_ALLOCATED) return std::nullopt;
  const auto bytes = static_cast<hsize_t>(plan::element_count(data.info.shape)) *
                     base::element_bytes(data.info.type);
  if (H5Dget_storage_size(data.dataset.id()) != bytes) return std::nullopt;
  const haddr_t offset = H5Dget_offset(data.dataset.id());
  if (offset == HADDR_UNDEF) return std::nullopt;
  return offset;
}

std::optional<codec::Filters> chunk_filters(const Hdf5Dataset& data) {
  if (data.h5("H5Pget_layout", H5Pget_layout, data.creation.id()) != H5D_CHUNKED ||
      !is_usual(data) || !all_chunks_alike(data) || !is_known_index(data)) {
    return std::nullopt;
  }
  return known_filters(pipeline_of(data.h5, data.creation));
}

}  // namespace tessera::store
