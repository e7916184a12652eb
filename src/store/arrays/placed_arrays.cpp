#include "store/arrays/placed_arrays.hpp"

#include <algorithm>
#include <utility>

#include "base/file/input_file.hpp"
#include "codec/chunk.hpp"
#include "plan/box_rows.hpp"
#include "store/arrays/read_rows.hpp"

namespace tessera::store {
namespace {

plan::BoxRows rows_of(const WrittenArray& array, const plan::Box& box) {
  const auto dimensions = static_cast<std::ptrdiff_t>(box.extent.size());
  return {{array.shape.begin(), array.shape.begin() + dimensions}, box};
}

}  // namespace

PlacedArrays::PlacedArrays(const std::vector<std::string>& files, std::vector<WrittenArray> arrays,
                           std::vector<std::uint64_t> offsets)
    : arrays_(std::move(arrays)), offsets_(std::move(offsets)) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto same =
        std::find(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(i), files[i]);
    const auto number = static_cast<std::size_t>(same - files.begin());
    if (number < i) {
      files_.push_back(files_[number]);
    } else if (files[i].empty()) {
      files_.push_back(nullptr);
    } else {
      files_.push_back(
          std::make_shared<base::PosixFile>(files[i], base::PosixFile::Start::as_it_is));
    }
  }
}

void PlacedArrays::sync() {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const bool is_new = std::find(files_.begin(), files_.begin() + static_cast<std::ptrdiff_t>(i),
                                  files_[i]) == files_.begin() + static_cast<std::ptrdiff_t>(i);
    if (files_[i] != nullptr && is_new) files_[i]->sync();
  }
}

std::uint32_t PlacedArrays::write(std::size_t array, const plan::Box& box, plan::StorageOrder order,
                                  std::span<const std::byte> elements, std::uint32_t checksum) {
  if (elements.empty()) return checksum;
  const std::size_t bytes = bytes_each(arrays_[array], box.extent.size());
  std::vector<std::byte> turned;
  if (order == plan::StorageOrder::first_dimension_fastest && box.extent.size() > 1) {
    turned.resize(elements.size());
    transpose_order(elements, box.extent, bytes, turned);
    elements = turned;
  }
  checksum = codec::crc32c(elements, checksum);
  const plan::BoxRows rows = rows_of(arrays_[array], box);
  const std::size_t row_bytes = static_cast<std::size_t>(rows.row()) * bytes;
  for (std::int64_t group = 0; group < rows.groups(); ++group) {
    for (std::int64_t row = 0; row < rows.rows(); ++row) {
      const auto first = static_cast<std::uint64_t>(rows.first(group) + row * rows.stride());
      files_[array]->write_at(offsets_[array] + first * bytes, elements.first(row_bytes));
      elements = elements.subspan(row_bytes);
    }
  }
  return checksum;
}

void PlacedArrays::start_sync(std::size_t array, const plan::Box& first, const plan::Box& last,
                              std::int64_t elements) {
  if (elements == 0 || last.elements() == 0) return;
  const plan::BoxRows rows = rows_of(arrays_[array], last);
  const std::int64_t begin = rows_of(arrays_[array], first).first(0);
  const std::int64_t end =
      rows.first(rows.groups() - 1) + (rows.rows() - 1) * rows.stride() + rows.row();
  if (end - begin != elements) return;
  const std::size_t bytes = bytes_each(arrays_[array], last.extent.size());
  files_[array]->start_sync(offsets_[array] + static_cast<std::uint64_t>(begin) * bytes,
                            static_cast<std::uint64_t>(elements) * bytes);
}

std::uint32_t PlacedArrays::read_checksum(std::size_t array, const plan::Box& box,
                                          std::uint32_t checksum) const {
  const std::size_t bytes = bytes_each(arrays_[array], box.extent.size());
  std::vector<std::byte> elements(static_cast<std::size_t>(box.elements()) * bytes);
  if (elements.empty()) return checksum;
  const base::InputFile file(files_[array]->path());
  const std::uint64_t offset = offsets_[array];
  read_rows(
      rows_of(arrays_[array], box), bytes,
      [&](std::uint64_t at, std::span<std::byte> to) { file.read_at(offset + at, to); }, elements);
  return codec::crc32c(elements, checksum);
}

}  // namespace tessera::store
