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

class ChunkedArrays : public WrittenChunks {
 public:
  ChunkedArrays(const std::string& part, const std::vector<WrittenArray>& arrays) : h5_(part) {
    const std::scoped_lock lock(hdf5_mutex());
    mend(h5_);
    file_ = open_for_writing(h5_, H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, false);
    for (const WrittenArray& array : arrays) {
      filtered_ = array.compress > 0;
      datasets_.emplace_back(
          h5_("H5Dopen2", H5Dopen2, file_.id(), array.name.c_str(), H5P_DEFAULT));
    }
  }

  std::uint32_t write(std::size_t array, const plan::Shape& origin,
                      std::span<const std::byte> bytes, std::uint32_t filter_mask,
                      std::uint32_t checksum) override {
    const std::vector<hsize_t> offset = to_offset(origin);
    h5_("H5Dwrite_chunk", H5Dwrite_chunk, datasets_[array].id(), H5P_DEFAULT,
        filtered_ ? filter_mask : 0, offset.data(), bytes.size(), bytes.data());
    return base::crc32c(bytes, checksum);
  }
  std::vector<std::byte> read(std::size_t array, const plan::Shape& origin) const override {
    const std::vector<hsize_t> offset = to_offset(origin);
    hsize_t stored = 0;
    const bool found =
        h5_.unless("chunk storage is not allocated", "H5Dget_chunk_storage_size",
                   H5Dget_chunk_storage_size, datasets_[array].id(), offset.data(), &stored);
    std::vector<std::byte> bytes(found ? stored : 0);
    std::uint32_t mask = 0;
    if (!bytes.empty()) {
      h5_("H5Dread_chunk", H5Dread_chunk, datasets_[array].id(), H5P_DEFAULT, offset.data(), &mask,
          bytes.data());
    }
    return bytes;
  }
  void flush() override { h5_("H5Fflush", H5Fflush, file_.id(), H5F_SCOPE_LOCAL); }
  void close() override {
    datasets_.clear();
    h5_("H5Fclose", H5Fclose, file_.release());
  }

 private:
  CheckedCall h5_;
  Handle file_;  // declared before the objects in it, so that it is closed last
  std::vector<Handle> datasets_;
  bool filtered_ = false;
};

}  // namespace

std::unique_ptr<WrittenChunks> open_chunked_arrays(const std::string& part,
                                                   const std::vector<WrittenArray>& arrays) {
  return std::make_unique<ChunkedArrays>(part, arrays);
}

}  // namespace tessera::store
