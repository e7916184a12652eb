#include "store/arrays/chunked_arrays.hpp"

#include "base/checksum.hpp"
#include "store/hdf5/handle.hpp"
#include "store/hdf5/writing_access.hpp"

namespace tessera::store {
namespace {

Handle open_for_writing(const CheckedCall& h5, unsigned flags, bool ignore_open_marks) {
  const Handle access = writing_access(h5, ignore_open_marks);
  return Handle(h5("H5Fopen", H5Fopen, h5.file().c_str(), flags, access.id()));
}

/// A killed writer leaves marks, and bytes beyond the end that the file records.
void mend(const CheckedCall& h5) {
  Handle file = open_for_writing(h5, H5F_ACC_RDWR, true);
  h5("H5Fincrement_filesize", H5Fincrement_filesize, file.id(), hsize_t{0});
  h5("H5Fclose", H5Fclose, file.release());
}

std::vector<hsize_t> to_offset(const plan::Shape& origin) {
  return {origin.begin(), origin.end()};
}

}  // namespace

struct ChunkedArrays::State {
  CheckedCall h5;
  Handle file;  // declared before the objects in it, so that it is closed last
  std::vector<Handle> datasets;
  bool filtered = false;
};

ChunkedArrays::ChunkedArrays(const std::string& part, const std::vector<WrittenArray>& arrays)
    : state_(std::make_unique<State>(State{.h5 = CheckedCall(part), .file = {}, .datasets = {}})) {
  State& s = *state_;
  const std::scoped_lock lock(hdf5_mutex());
  mend(s.h5);
  s.file = open_for_writing(s.h5, H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, false);
  for (const WrittenArray& array : arrays) {
    s.filtered = array.compress > 0;
    s.datasets.emplace_back(
        s.h5("H5Dopen2", H5Dopen2, s.file.id(), array.name.c_str(), H5P_DEFAULT));
  }
}

ChunkedArrays::~ChunkedArrays() = default;

std::uint32_t ChunkedArrays::write(std::size_t array, const plan::Shape& origin,
                                   std::span<const std::byte> bytes, std::uint32_t filter_mask,
                                   std::uint32_t checksum) {
  const std::vector<hsize_t> offset = to_offset(origin);
  state_->h5("H5Dwrite_chunk", H5Dwrite_chunk, state_->datasets[array].id(), H5P_DEFAULT,
             state_->filtered ? filter_mask : 0, offset.data(), bytes.size(), bytes.data());
  return base::crc32c(bytes, checksum);
}

std::vector<std::byte> ChunkedArrays::read(std::size_t array, const plan::Shape& origin) const {
  const State& s = *state_;
  const std::vector<hsize_t> offset = to_offset(origin);
  hsize_t stored = 0;
  const bool found =
      s.h5.unless("chunk storage is not allocated", "H5Dget_chunk_storage_size",
                  H5Dget_chunk_storage_size, s.datasets[array].id(), offset.data(), &stored);
  std::vector<std::byte> bytes(found ? stored : 0);
  std::uint32_t mask = 0;
  if (!bytes.empty()) {
    s.h5("H5Dread_chunk", H5Dread_chunk, s.datasets[array].id(), H5P_DEFAULT, offset.data(), &mask,
         bytes.data());
  }
  return bytes;
}

void ChunkedArrays::flush() {
  state_->h5("H5Fflush", H5Fflush, state_->file.id(), H5F_SCOPE_LOCAL);
}

void ChunkedArrays::close() {
  state_->datasets.clear();
  state_->h5("H5Fclose", H5Fclose, state_->file.release());
}

}  // namespace tessera::store
