#include "store/arrays/array_writer.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/file/file_stamp.hpp"
#include "base/file/input_file.hpp"
#include "base/file/posix_file.hpp"
#include "base/file/unfinished_file.hpp"
#include "codec/chunk.hpp"
#include "store/arrays/array_formats.hpp"
#include "store/arrays/chunked_arrays.hpp"
#include "store/arrays/hdf5_addition.hpp"
#include "store/arrays/placed_arrays.hpp"

namespace tessera::store {

namespace {

/// CRC-32C of the bytes around the arrays. They are few, whatever the size of the arrays.
std::uint32_t checksum_head(const std::string& part, const std::vector<WrittenArray>& arrays,
                            const std::vector<std::uint64_t>& offsets) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const std::size_t bytes = bytes_each(arrays[i], 0);
    if (bytes > 0) taken.emplace_back(offsets[i], offsets[i] + bytes);
  }
  const base::InputFile file(part);
  const std::uint64_t end = file.size_bytes();
  taken.emplace_back(end, end);
  std::ranges::sort(taken);
  std::uint32_t checksum = 0;
  std::uint64_t from = 0;
  for (const auto& [first, behind] : taken) {
    std::vector<std::byte> bytes(first > from ? first - from : 0);
    file.read_at(from, bytes);
    checksum = codec::crc32c(bytes, checksum);
    from = std::max(from, behind);
  }
  return checksum;
}

bool in_chunks(const std::vector<WrittenArray>& arrays) {
  return !arrays.empty() && !arrays.front().chunk.empty();
}

}  // namespace

struct ArrayWriter::State {
  State(const std::string& path_, std::vector<WrittenArray> arrays_, base::UnfinishedFile file_)
      : path(path_), arrays(std::move(arrays_)), file(std::move(file_)) {}

  void create(const Attributes& attributes) {
    layout.offsets = written_files_of(path).create(file.part(), arrays, attributes);
    open();
    if (!chunked) layout.head = checksum_head(file.part(), arrays, layout.offsets);
  }

  void open() {
    placed.emplace(file.part(), arrays, layout.offsets);
    if (in_chunks(arrays)) chunked.emplace(file.part(), arrays);
  }

  std::string path;
  std::vector<WrittenArray> arrays;
  ArrayLayout layout;
  base::UnfinishedFile file;
  bool joins = false;
  std::optional<base::UnfinishedFile> joined;  ///< the file with the others and the arrays
  base::FileStamp joined_stamp;                ///< stamp of the others' file when it was copied
  std::optional<PlacedArrays> placed;
  std::optional<ChunkedArrays> chunked;
};

ArrayWriter::ArrayWriter(const std::string& path, std::vector<WrittenArray> arrays,
                         const Attributes& attributes, const base::IsOurs& is_ours)
    : state_(
          std::make_unique<State>(path, std::move(arrays), base::UnfinishedFile(path, is_ours))) {
  state_->create(attributes);
}

ArrayWriter::ArrayWriter(const std::string& path, std::vector<WrittenArray> arrays,
                         ArrayLayout layout)
    : state_(std::make_unique<State>(path, std::move(arrays), base::UnfinishedFile::resume(path))) {
  state_->layout = std::move(layout);
  state_->open();
}

ArrayWriter::~ArrayWriter() = default;

bool ArrayWriter::can_resume(const std::string& path, const std::vector<WrittenArray>& arrays,
                             const ArrayLayout& layout) {
  const std::string part = base::part_path(path);
  if (!std::filesystem::exists(part) || layout.offsets.size() != arrays.size()) return false;
  try {
    if (in_chunks(arrays)) {
      ChunkedArrays(part, arrays).close();
      return true;
    }
    return checksum_head(part, arrays, layout.offsets) == layout.head;
  } catch (const base::Error&) {
    return false;  // the file ends before its first element, or HDF5 cannot open it
  }
}

const ArrayLayout& ArrayWriter::layout() const {
  return state_->layout;
}

const base::FileIdentity& ArrayWriter::identity() const {
  return state_->file.identity();
}

std::uint32_t ArrayWriter::write(std::size_t array, const plan::Box& box, plan::StorageOrder order,
                                 std::span<const std::byte> elements, std::uint32_t checksum) {
  return state_->placed->write(array, box, order, elements, checksum);
}

std::uint32_t ArrayWriter::write_chunk(std::size_t array, const plan::Shape& origin,
                                       std::span<const std::byte> bytes, std::uint32_t filter_mask,
                                       std::uint32_t checksum) {
  state_->chunked->write(array, origin, bytes, filter_mask);
  return codec::crc32c(bytes, checksum);
}

std::uint32_t ArrayWriter::read_checksum(std::size_t array, const plan::Box& box,
                                         std::uint32_t checksum) const {
  if (!state_->chunked) return state_->placed->read_checksum(array, box, checksum);
  return codec::crc32c(state_->chunked->read(array, box.origin), checksum);
}

void ArrayWriter::sync() {
  if (state_->chunked) state_->chunked->flush();
  state_->placed->sync();
}

void ArrayWriter::keep() {
  state_->file.keep();
}

void ArrayWriter::complete() {
  if (state_->chunked) state_->chunked->close();
  state_->chunked.reset();
  state_->placed->sync();
  State& s = *state_;
  if (!s.joins) return;
  s.joined.reset();
  s.joined.emplace(s.path, base::anything, ".part.new");
  s.joined_stamp = store::join_others(s.path, s.file.part(), s.arrays, s.joined->part());
}

void ArrayWriter::join_others() {
  state_->joins = joins_others(state_->path, state_->arrays);
}

const std::string& ArrayWriter::made() const {
  return state_->joined ? state_->joined->part() : state_->file.part();
}

void ArrayWriter::finish(base::Replace replace) {
  State& s = *state_;
  if (!s.joined) {
    complete();
    if (!s.joined) return s.file.publish(replace);
  }
  if (base::stamp_of(s.path) != s.joined_stamp) {
    s.file.keep();
    throw base::run_error("{}: has changed while it was copied; the same command tries again",
                          s.path);
  }
  s.joined->publish(replace);
  base::remove_file(s.file.part());
}

}  // namespace tessera::store
