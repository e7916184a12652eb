#include "store/arrays/array_writer.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/file/input_file.hpp"
#include "base/file/posix_file.hpp"
#include "codec/chunk.hpp"
#include "plan/box_rows.hpp"
#include "store/arrays/array_formats.hpp"
#include "store/arrays/read_rows.hpp"

namespace tessera::store {

namespace {

/// The bytes that belong to one index tuple of the first `dimensions`.
std::size_t bytes_each(const WrittenArray& array, std::size_t dimensions) {
  std::size_t bytes = base::element_bytes(array.type);
  for (std::size_t d = dimensions; d < array.shape.size(); ++d) {
    bytes *= static_cast<std::size_t>(array.shape[d]);
  }
  return bytes;
}

plan::BoxRows rows_of(const WrittenArray& array, const plan::Box& box) {
  const auto dimensions = static_cast<std::ptrdiff_t>(box.extent.size());
  return {{array.shape.begin(), array.shape.begin() + dimensions}, box};
}

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

}  // namespace

struct ArrayWriter::State {
  State(const std::string& path_, std::vector<WrittenArray> arrays_)
      : path(path_), part(base::part_path(path_)), arrays(std::move(arrays_)) {}

  void create(const Attributes& attributes) {
    // Creates a new file instead of truncating: a reader may still have the old one open.
    if (std::filesystem::exists(part)) const base::FileLock nobody_else(part);
    base::remove_file(part);
    try {
      create_file(attributes);
    } catch (...) {
      base::remove_file(part);
      throw;
    }
  }

  void create_file(const Attributes& attributes) {
    base::make_folder_of(part);
    layout.offsets = written_files_of(path).create(part, arrays, attributes);
    open();
    layout.head = checksum_head(part, arrays, layout.offsets);
  }

  void open() {
    file.emplace(part, base::PosixFile::Start::as_it_is);
    lock.emplace(part);
    identity = base::identity_of(part);
  }

  std::string path;
  std::string part;
  std::vector<WrittenArray> arrays;
  ArrayLayout layout;
  std::optional<base::PosixFile> file;
  std::optional<base::FileLock> lock;  ///< keeps other runs from writing the file
  base::FileIdentity identity;
  bool stays = false;  ///< the destructor leaves the .part file
};

ArrayWriter::ArrayWriter(const std::string& path, std::vector<WrittenArray> arrays,
                         const Attributes& attributes)
    : state_(std::make_unique<State>(path, std::move(arrays))) {
  state_->create(attributes);
}

ArrayWriter::ArrayWriter(const std::string& path, std::vector<WrittenArray> arrays,
                         ArrayLayout layout)
    : state_(std::make_unique<State>(path, std::move(arrays))) {
  state_->open();
  state_->layout = std::move(layout);
}

ArrayWriter::~ArrayWriter() {
  if (!state_->stays) base::remove_file(state_->part);
}

bool ArrayWriter::can_resume(const std::string& path, const std::vector<WrittenArray>& arrays,
                             const ArrayLayout& layout) {
  const std::string part = base::part_path(path);
  if (!std::filesystem::exists(part) || layout.offsets.size() != arrays.size()) return false;
  try {
    return checksum_head(part, arrays, layout.offsets) == layout.head;
  } catch (const base::Error&) {
    return false;  // the file ends before its first element
  }
}

const ArrayLayout& ArrayWriter::layout() const {
  return state_->layout;
}

std::uint32_t ArrayWriter::write(std::size_t array, const plan::Box& box, plan::StorageOrder order,
                                 std::span<const std::byte> elements, std::uint32_t checksum) {
  if (elements.empty()) return checksum;
  State& s = *state_;
  const std::size_t bytes = bytes_each(s.arrays[array], box.extent.size());
  std::vector<std::byte> turned;
  if (order == plan::StorageOrder::first_dimension_fastest && box.extent.size() > 1) {
    turned.resize(elements.size());
    transpose_order(elements, box.extent, bytes, turned);
    elements = turned;
  }
  checksum = codec::crc32c(elements, checksum);
  const plan::BoxRows rows = rows_of(s.arrays[array], box);
  const std::size_t row_bytes = static_cast<std::size_t>(rows.row()) * bytes;
  for (std::int64_t group = 0; group < rows.groups(); ++group) {
    for (std::int64_t row = 0; row < rows.rows(); ++row) {
      const auto first = static_cast<std::uint64_t>(rows.first(group) + row * rows.stride());
      s.file->write_at(s.layout.offsets[array] + first * bytes, elements.first(row_bytes));
      elements = elements.subspan(row_bytes);
    }
  }
  return checksum;
}

std::uint32_t ArrayWriter::read_checksum(std::size_t array, const plan::Box& box,
                                         std::uint32_t checksum) const {
  const State& s = *state_;
  const std::size_t bytes = bytes_each(s.arrays[array], box.extent.size());
  std::vector<std::byte> elements(static_cast<std::size_t>(box.elements()) * bytes);
  if (elements.empty()) return checksum;
  const base::InputFile file(s.part);
  const std::uint64_t offset = s.layout.offsets[array];
  read_rows(
      rows_of(s.arrays[array], box), bytes,
      [&](std::uint64_t at, std::span<std::byte> to) { file.read_at(offset + at, to); }, elements);
  return codec::crc32c(elements, checksum);
}

void ArrayWriter::sync() {
  state_->file->sync();
}

void ArrayWriter::keep() {
  state_->stays = true;
}

void ArrayWriter::finish(base::Replace replace) {
  State& s = *state_;
  s.file->sync();
  base::publish_file(s.part, s.path, s.identity, replace);
  s.stays = true;
}

}  // namespace tessera::store
