// Datasets of an HDF5 file in chunks, written as their stored bytes. Private to this folder.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "store/arrays/written_array.hpp"
#include "store/arrays/written_chunks.hpp"

namespace tessera::store {

/// The file is in SWMR mode, so that a killed run leaves one that the next run can open. Any thread
/// may call every member. Members throw base::Error (failed) naming the file.
class ChunkedArrays : public WrittenChunks {
 public:
  /// Opens `part`, which create_hdf5_arrays() made, also after its writer was killed.
  ChunkedArrays(const std::string& part, const std::vector<WrittenArray>& arrays);
  ~ChunkedArrays() override;
  ChunkedArrays(const ChunkedArrays&) = delete;
  ChunkedArrays& operator=(const ChunkedArrays&) = delete;

  std::uint32_t write(std::size_t array, const plan::Shape& origin,
                      std::span<const std::byte> bytes, std::uint32_t filter_mask,
                      std::uint32_t checksum) override;
  std::vector<std::byte> read(std::size_t array, const plan::Shape& origin) const override;
  void flush() override;
  void close() override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::store
