#include "store/hdf5/chunks.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <vector>

#include "base/error.hpp"
#include "base/file/input_file.hpp"
#include "base/text.hpp"
#include "store/arrays/box_of_chunks.hpp"
#include "store/hdf5/bypass.hpp"
#include "store/hdf5/check.hpp"
#include "store/hdf5/filters.hpp"

namespace tessera::store {

namespace {

// not crossed: takes GiB
constexpr std::int64_t kMaxChunkBytes = std::int64_t{1} << 30;

/// HDF5 1.10 finds a chunk by searching all chunks before it: 4 ns each, so milliseconds among
/// 200,000. Fetching a chunk through HDF5 takes microseconds, whatever their number, but only one
/// thread can.
// crossed by: test_chunks_that_are_found_in_the_file
constexpr std::int64_t kMaxFound = 4096;

/// Fills `elements` with copies of `element`.
void repeat(std::span<const std::byte> element, std::span<std::byte> elements) {
  std::ranges::copy(element, elements.begin());
  for (std::size_t done = element.size(); done < elements.size(); done *= 2) {
    const std::size_t bytes = std::min(done, elements.size() - done);
    std::memcpy(elements.data() + done, elements.data(), bytes);
  }
}

std::string kind_of(const codec::Filters& filters) {
  std::string kind = "HDF5, chunks";
  for (const codec::Filter& filter : filters) {
    if (codec::compresses(filter.kind)) kind += fmt::format(", {}", codec::name_of(filter.kind));
  }
  return kind;
}

class Hdf5Chunks : public ArraySource {
 public:
  Hdf5Chunks(Hdf5Dataset data, ChunkCoding coding)
      : ArraySource(data.info, plan::ArrayPieces::boxes(data.info.shape, coding.chunk)),
        data_(std::move(data)),
        coding_(std::move(coding)),
        chunk_bytes_(static_cast<std::size_t>(plan::element_count(coding_.chunk)) *
                     base::element_bytes(data_.info.type)) {
    if (pieces_.count() <= kMaxFound && data_.starts_its_file()) file_.emplace(data_.h5.file());
    data_.reopen_without_cache();
    is_checked_ = checks_hdf5() && hdf5_undoes_all(data_.h5, data_.creation);
  }

  const ChunkCoding* chunk_coding(std::int64_t) const override { return &coding_; }
  std::int64_t max_elements() const override { return plan::element_count(coding_.chunk); }
  /// Not by H5Dread, which undoes fewer filters.
  void read_box(const plan::Box& box, std::span<std::byte> elements) const override {
    read_box_of_chunks(*this, box, elements);
  }
  plan::Shape chunk_shape() const override { return coding_.chunk; }
  /// Beside the one buffer of a chunk's size that every decoder is granted.
  std::uint64_t read_memory_bytes() const override {
    const std::size_t bytes = codec::ChunkDecoder::memory_bytes(coding_.filters, chunk_bytes_);
    return bytes - std::min(bytes, chunk_bytes_);
  }

  void read_stored(std::int64_t first, std::int64_t end, StoredChunks& chunks) const override {
    chunks.clear();
    {
      const std::scoped_lock lock(hdf5_mutex());
      for (std::int64_t piece = first; piece < end; ++piece) {
        if (!(file_ ? find(piece, chunks) : fetch(piece, chunks))) break;
      }
    }
    if (!file_) return;
    for (const StoredChunk& chunk : chunks.chunks()) {
      if (chunk.there) file_->read_at(chunk.offset_bytes, chunk.bytes);
    }
  }

  /// Reads the values that HDF5 returns for a missing chunk. They depend on more than the fill
  /// value. Each H5Dread takes microseconds and blocks all other reading threads, so if all
  /// elements are equal, one is kept.
  void read_missing(std::int64_t piece, std::span<std::byte> elements) const override {
    bool is_read = false;
    if (!data_.leaves_gaps) {
      std::call_once(fill_sought_, [&] {
        read_hyperslab(data_, pieces_.box(piece), elements);
        is_read = true;
        keep_fill(elements);
      });
    }
    if (is_read) return;
    if (fill_.empty()) return read_hyperslab(data_, pieces_.box(piece), elements);
    repeat(fill_, elements);
    check_decoded(piece, elements);
  }

  base::Error damaged(std::int64_t piece, const std::string& why) const override {
    return damaged_chunk(data_, pieces_.box(piece).origin, why);
  }
  void check_decoded(std::int64_t piece, std::span<const std::byte> elements) const override {
    if (is_checked_) check_hdf5(data_, pieces_.box(piece), elements);
  }

 private:
  using Origin = std::vector<hsize_t>;

  /// Keeps the first element if all are equal.
  void keep_fill(std::span<const std::byte> elements) const {
    const auto first = elements.first(base::element_bytes(data_.info.type));
    if (std::ranges::equal(elements.subspan(first.size()),
                           elements.first(elements.size() - first.size()))) {
      fill_.assign(first.begin(), first.end());
    }
  }

  Origin origin_of(std::int64_t piece) const {
    const plan::Box box = pieces_.box(piece);
    return {box.origin.begin(), box.origin.end()};
  }

  /// Null if it does not fit.
  StoredChunk* add(const Origin& origin, hsize_t bytes, StoredChunks& chunks) const {
    // Writers store a little more than the elements where compression does not shrink them.
    if (bytes <= 2 * chunk_bytes_ + 4096) return chunks.add(bytes);
    throw damaged_chunk(data_, {origin.begin(), origin.end()},
                        fmt::format("claims {}: the file is damaged",
                                    base::count_of(static_cast<std::int64_t>(bytes), "byte")));
  }

  /// HDF5 ignores bits of filters that are not in the pipeline.
  std::uint32_t filter_mask(std::uint32_t stored_mask) const {
    return stored_mask & coding_.no_filter();
  }

  /// Adds the chunk's address and size to `chunks`. False if it does not fit.
  bool find(std::int64_t piece, StoredChunks& chunks) const {
    const Origin origin = origin_of(piece);
    unsigned mask = 0;
    haddr_t offset = HADDR_UNDEF;
    hsize_t bytes = 0;
    data_.h5("H5Dget_chunk_info_by_coord", H5Dget_chunk_info_by_coord, data_.dataset.id(),
             origin.data(), &mask, &offset, &bytes);
    if (offset == HADDR_UNDEF || bytes == 0) return chunks.add_missing();
    StoredChunk* const chunk = add(origin, bytes, chunks);
    if (chunk == nullptr) return false;
    chunk->offset_bytes = offset;
    chunk->filter_mask = filter_mask(mask);
    return true;
  }

  /// Adds the chunk's bytes to `chunks`. False if it does not fit.
  bool fetch(std::int64_t piece, StoredChunks& chunks) const {
    const Origin origin = origin_of(piece);
    hsize_t bytes = 0;  // stays 0 while the dataset has no chunk at all
    const bool found =
        data_.h5.unless("chunk storage is not allocated", "H5Dget_chunk_storage_size",
                        H5Dget_chunk_storage_size, data_.dataset.id(), origin.data(), &bytes);
    if (!found || bytes == 0) return chunks.add_missing();
    StoredChunk* const chunk = add(origin, bytes, chunks);
    if (chunk == nullptr) return false;
    std::uint32_t mask = 0;
    data_.h5("H5Dread_chunk", H5Dread_chunk, data_.dataset.id(), H5P_DEFAULT, origin.data(), &mask,
             chunk->bytes.data());
    chunk->filter_mask = filter_mask(mask);
    return true;
  }

  Hdf5Dataset data_;
  ChunkCoding coding_;
  std::size_t chunk_bytes_;
  bool is_checked_ = false;
  /// For reads without HDF5, by all threads at once.
  std::optional<base::InputFile> file_;
  mutable std::once_flag fill_sought_;
  mutable std::vector<std::byte> fill_;  ///< the element of all missing chunks, if known
};

}  // namespace

std::unique_ptr<ArraySource> open_hdf5_chunks(Hdf5Dataset& data) {
  auto filters = chunk_filters(data);
  if (!filters) return nullptr;
  ChunkCoding coding{.chunk = chunk_of(data), .filters = std::move(*filters)};
  const std::size_t element_bytes = base::element_bytes(data.info.type);
  if (plan::element_count(coding.chunk) * static_cast<std::int64_t>(element_bytes) >
      kMaxChunkBytes) {
    return nullptr;
  }
  coding.swap_bytes = data.big_endian != (std::endian::native == std::endian::big);
  data.info.kind = kind_of(coding.filters);
  return std::make_unique<Hdf5Chunks>(std::move(data), std::move(coding));
}

}  // namespace tessera::store
