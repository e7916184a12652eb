// Contiguous arrays in a file: .npy and raw. Private to this folder.
#pragma once

#include <memory>

#include "store/arrays/array_source.hpp"
#include "store/arrays/array_writer.hpp"

namespace tessera::store {

/// Offset, byte order and element order of the contiguous data.
struct ContiguousData {
  std::uint64_t offset_bytes = 0;
  bool big_endian = false;
  plan::StorageOrder order = plan::StorageOrder::last_dimension_fastest;
  std::shared_ptr<const void> file{};  ///< what must exist while the array does
};

/// Throws a usage error if the file is too short.
std::unique_ptr<ArraySource> open_contiguous(const std::string& path, ArrayInfo info,
                                             const ContiguousData& stretch,
                                             std::int64_t piece_bytes);

std::unique_ptr<ArraySource> open_npy(const job::ArrayInput& input, std::int64_t piece_bytes);
/// What lies in a file from `offset` on, as a .npy file of `bytes`. `info`: its name, its dataset.
/// `file`: what must exist while the array does.
std::unique_ptr<ArraySource> open_npy_within(const std::string& path, std::uint64_t offset,
                                             std::uint64_t bytes, ArrayInfo info,
                                             std::int64_t piece_bytes,
                                             std::shared_ptr<const void> file = nullptr);
std::unique_ptr<ArraySource> open_raw(const job::ArrayInput& input, std::int64_t piece_bytes);
std::vector<std::uint64_t> create_raw(const std::string& path,
                                      const std::vector<WrittenArray>& arrays,
                                      const Attributes& attributes);

}  // namespace tessera::store
