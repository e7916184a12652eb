#include "store/arrays/hdf5_array.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "plan/piece_boxes.hpp"
#include "store/arrays/contiguous_array.hpp"
#include "store/hdf5/bypass.hpp"
#include "store/hdf5/check.hpp"
#include "store/hdf5/chunks.hpp"
#include "store/hdf5/dataset.hpp"
#include "store/hdf5/dimensions.hpp"
#include "store/hdf5/filters.hpp"
#include "store/hdf5/other_files.hpp"
#include "store/hdf5/packed_attributes.hpp"

namespace tessera::store {

namespace {

/// The chunks that overlap `box`.
std::vector<plan::Box> chunks_of(const Hdf5Dataset& data, const plan::Box& box) {
  job::Shape side = chunk_of(data);
  if (side.empty()) return {};
  const auto grid = plan::ArrayPieces::boxes(data.info.shape, std::move(side));
  std::vector<plan::Box> chunks;
  for (std::int64_t i = 0; i < grid.count(); ++i) {
    plan::Box chunk = grid.box(i);
    if (plan::meet(chunk, box)) chunks.push_back(std::move(chunk));
  }
  return chunks;
}

/// HDF5 failed to read `box` without naming the chunk. The error names the first chunk that fails
/// on its own.
base::Error unreadable(const Hdf5Dataset& data, const plan::Box& box, const base::Error& error) {
  for (const plan::Box& chunk : chunks_of(data, box)) {
    std::vector<std::byte> elements(static_cast<std::size_t>(chunk.elements()) *
                                    base::element_bytes(data.info.type));
    try {
      read_hyperslab(data, chunk, elements);
    } catch (const base::Error& of_chunk) {
      return damaged_chunk(data, chunk.origin, of_chunk.what());
    }
  }
  return error;
}

/// Reads through HDF5's own filter pipeline.
class Hdf5Array : public ArraySource {
 public:
  Hdf5Array(Hdf5Dataset data, OtherFiles others, job::Shape box)
      : ArraySource(data.info, plan::ArrayPieces::boxes(data.info.shape, std::move(box))),
        data_(std::move(data)),
        others_(std::move(others)) {}

  void read_box(const plan::Box& box, std::span<std::byte> elements) const override {
    try {
      read_hyperslab(data_, box, elements);
    } catch (const base::Error& error) {
      throw unreadable(data_, box, error);
    }
    others_.check_unchanged(box);
  }
  plan::Shape chunk_shape() const override { return chunk_of(data_); }

 private:
  Hdf5Dataset data_;
  OtherFiles others_;
};

/// A box of consecutive whole chunks, as many as fit, but at least one. HDF5 inflates a whole chunk
/// for any part of it.
job::Shape box_of_chunks(job::Shape box, const job::Shape& shape, std::int64_t elements) {
  std::int64_t fit = elements / plan::element_count(box);
  for (std::size_t d = shape.size(); d-- > 0 && fit > 1;) {
    const std::int64_t chunks = (shape[d] + box[d] - 1) / box[d];
    const std::int64_t taken = std::clamp<std::int64_t>(fit, 1, std::max<std::int64_t>(chunks, 1));
    box[d] *= taken;
    fit /= taken;
    if (taken < chunks) break;
  }
  return box;
}

/// The box to read at once, of about `elements`.
job::Shape box_to_read(const Hdf5Dataset& data, std::int64_t elements) {
  const job::Shape chunk = chunk_of(data);
  if (chunk.empty()) return plan::box_of_rows(data.info.shape, elements);
  return box_of_chunks(chunk, data.info.shape, elements);
}

/// Null unless the elements are contiguous in this file itself.
std::unique_ptr<ArraySource> open_contiguous(Hdf5Dataset& data, const job::ArrayInput& input,
                                             std::int64_t piece_bytes) {
  const auto offset = stretch_offset(data);
  if (!offset) return nullptr;
  data.info.kind = "HDF5, contiguous";
  auto stretch = open_contiguous(
      input.path, data.info, {.offset_bytes = *offset, .big_endian = data.big_endian}, piece_bytes);
  return checks_hdf5() ? check_stretch(std::move(stretch), std::move(data)) : std::move(stretch);
}

/// In the fastest way.
std::unique_ptr<ArraySource> open_elements(Hdf5Dataset data, const job::ArrayInput& input,
                                           std::int64_t piece_bytes) {
  if (auto stretch = open_contiguous(data, input, piece_bytes)) return stretch;
  if (auto chunks = open_hdf5_chunks(data)) return chunks;
  check_filters(data.h5, data.dataset, data.info.name);
  OtherFiles others = data.info.refers_elsewhere ? OtherFiles(data) : OtherFiles();
  data.info.kind = "HDF5, through H5Dread";
  const auto element_bytes = static_cast<std::int64_t>(base::element_bytes(data.info.type));
  job::Shape box = box_to_read(data, std::max<std::int64_t>(1, piece_bytes / element_bytes));
  return std::make_unique<Hdf5Array>(std::move(data), std::move(others), std::move(box));
}

/// netCDF-4 keeps a variable that has the name of a dimension, but not its coordinates, under
/// another one.
Hdf5Dataset open_variable(const job::ArrayInput& input) {
  Hdf5Dataset data(input);
  if (!is_bare_dimension(data.h5, data.dataset)) return data;
  job::ArrayInput other = input;
  other.dataset = data.path;
  other.dataset.insert(data.path.rfind('/') + 1, "_nc4_non_coord_");
  if (has_hdf5_object(input.path, other.dataset)) return Hdf5Dataset(other);
  throw base::usage_error("{}: is a dimension of length {}, without values; name a variable",
                          input.text, job::format_shape(data.info.shape));
}

}  // namespace

std::unique_ptr<ArraySource> open_hdf5_array(const job::ArrayInput& input,
                                             std::int64_t piece_bytes) {
  const std::scoped_lock lock(hdf5_mutex());
  Hdf5Dataset data = open_variable(input);
  if (!input.decoding.raw) data.info.packed = read_packed_attributes(data);
  std::vector<Dimension> dimensions = read_dimensions(data, input);
  std::vector<TextAttribute> texts = read_texts(data.h5, data.dataset);
  auto array = open_elements(std::move(data), input, piece_bytes);
  array->set_dimensions(std::move(dimensions));
  array->set_texts(std::move(texts));
  return array;
}

}  // namespace tessera::store
