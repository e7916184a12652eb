// Joins several arrays into one, along the first dimension.
#include <glob.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/bools.hpp"
#include "base/error.hpp"
#include "base/file/open_files.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "plan/piece_boxes.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::store {

namespace {

/// One descriptor of HDF5's, and one to read without HDF5.
// crossed by: test_are_read_though_fewer_may_be_open, test_files_that_are_one_array
constexpr std::size_t kFilesEach = 2;
/// Descriptors left for the rest of the program and for the libraries of MPI and of devices.
// crossed by: test_are_read_though_fewer_may_be_open, test_files_that_are_one_array
constexpr std::size_t kOtherFiles = 512;

class JoinedArray : public ArraySource {
 public:
  explicit JoinedArray(std::vector<std::unique_ptr<ArraySource>> parts)
      : ArraySource(parts.front()->info(), join(parts)),
        parts_(std::move(parts)),
        order_(order_of(parts_)) {
    info_.name += fmt::format(" and {} more", parts_.size() - 1);
    info_.kind = fmt::format("{} arrays: {}", parts_.size(), info_.kind);
    info_.shape = pieces_.shape();
    join_dimensions();
    for (const auto& part : parts_) {
      info_.refers_elsewhere |= part->info().refers_elsewhere;
      if (!info_.missing) info_.missing = part->info().missing;
      if (part != parts_.front())
        std::ranges::copy(part->info().notes, std::back_inserter(info_.notes));
    }
  }

  void read(std::int64_t piece, std::span<std::byte> elements) const override {
    const auto [part, own] = pieces_.locate(piece);
    parts_[part]->read(own, elements);
  }
  std::optional<ElementView> view(std::int64_t first, std::int64_t end) const override {
    const auto [part, own] = pieces_.locate(first);
    const auto [last_part, own_last] = pieces_.locate(end - 1);
    if (part != last_part) return std::nullopt;
    return parts_[part]->view(own, own_last + 1);
  }
  void read_box(const plan::Box& box, std::span<std::byte> elements) const override {
    if (elements.empty()) return;
    const std::size_t row_bytes = elements.size() / static_cast<std::size_t>(box.extent.front());
    for (const plan::PartBox& own : plan::parts_of(pieces_, box)) {
      const std::size_t bytes = static_cast<std::size_t>(own.box.extent.front()) * row_bytes;
      parts_[own.part]->read_box(own.box, elements.first(bytes));
      elements = elements.subspan(bytes);
    }
  }
  plan::StorageOrder order() const override { return order_; }
  void read_box_in_order(const plan::Box& box, std::span<std::byte> elements) const override {
    if (order_ == plan::StorageOrder::last_dimension_fastest) return read_box(box, elements);
    if (elements.empty()) return;
    const std::vector<plan::PartBox> own = plan::parts_of(pieces_, box);
    if (own.size() == 1)
      return parts_[own.front().part]->read_box_in_order(own.front().box, elements);
    read_columns(box, own, elements);
  }
  std::optional<ArrayPart> part_at(std::int64_t row) const override {
    std::int64_t first = 0;
    for (const auto& part : parts_) {
      const std::int64_t rows = part->info().shape.front();
      if (row < first + rows) return ArrayPart{part->info().name, first};
      first += rows;
    }
    return std::nullopt;
  }
  plan::Shape chunk_shape() const override { return parts_.front()->chunk_shape(); }
  const ChunkCoding* chunk_coding(std::int64_t piece) const override {
    const auto [part, own] = pieces_.locate(piece);
    return parts_[part]->chunk_coding(own);
  }
  std::int64_t max_elements() const override {
    std::int64_t most = 0;
    for (const auto& part : parts_) most = std::max(most, part->max_elements());
    return most;
  }
  plan::Box location(std::int64_t piece) const override {
    const auto [part, own] = pieces_.locate(piece);
    return parts_[part]->location(own);
  }
  base::Error damaged(std::int64_t piece, const std::string& why) const override {
    const auto [part, own] = pieces_.locate(piece);
    return parts_[part]->damaged(own, why);
  }
  void read_stored(std::int64_t first, std::int64_t end, StoredChunks& chunks) const override {
    const auto [part, own] = pieces_.locate(first);
    const auto own_end = std::min(own + (end - first), parts_[part]->pieces().count());
    parts_[part]->read_stored(own, own_end, chunks);
  }
  void read_missing(std::int64_t piece, std::span<std::byte> elements) const override {
    const auto [part, own] = pieces_.locate(piece);
    parts_[part]->read_missing(own, elements);
  }
  void check_decoded(std::int64_t piece, std::span<const std::byte> elements) const override {
    const auto [part, own] = pieces_.locate(piece);
    parts_[part]->check_decoded(own, elements);
  }

 private:
  /// Names that all parts have; the coordinates of the first dimension are joined too.
  void join_dimensions() {
    std::vector<Dimension> all = parts_.front()->dimensions();
    if (all.empty()) return;
    const std::vector<std::string> names = names_of(all);
    all.front().coordinates.clear();
    for (const auto& part : parts_) {
      if (part->dimension_names() != names) return;
      std::ranges::copy(part->dimensions().front().coordinates,
                        std::back_inserter(all.front().coordinates));
    }
    set_dimensions(std::move(all));
  }

  /// In Fortran order, every column consists of one contiguous range of each part.
  void read_columns(const plan::Box& box, const std::vector<plan::PartBox>& parts,
                    std::span<std::byte> elements) const {
    const std::size_t column =
        elements.size() / static_cast<std::size_t>(box.elements() / box.extent.front());
    std::vector<std::byte> stored;
    std::size_t place = 0;
    for (const plan::PartBox& own : parts) {
      const std::size_t rows = column / static_cast<std::size_t>(box.extent.front()) *
                               static_cast<std::size_t>(own.box.extent.front());
      stored.resize(elements.size() / column * rows);
      parts_[own.part]->read_box_in_order(own.box, stored);
      for (std::size_t c = 0; c < elements.size() / column; ++c) {
        std::memcpy(elements.data() + c * column + place, stored.data() + c * rows, rows);
      }
      place += rows;
    }
  }

  /// The order that all parts share, or else C order.
  static plan::StorageOrder order_of(const std::vector<std::unique_ptr<ArraySource>>& parts) {
    const auto fortran = [](const std::unique_ptr<ArraySource>& part) {
      return part->order() == plan::StorageOrder::first_dimension_fastest;
    };
    return std::ranges::all_of(parts, fortran) ? plan::StorageOrder::first_dimension_fastest
                                               : plan::StorageOrder::last_dimension_fastest;
  }

  static plan::ArrayPieces join(const std::vector<std::unique_ptr<ArraySource>>& parts) {
    std::vector<plan::ArrayPieces> pieces;
    pieces.reserve(parts.size());
    for (const auto& part : parts) pieces.push_back(part->pieces());
    return plan::ArrayPieces::joined(std::move(pieces));
  }

  std::vector<std::unique_ptr<ArraySource>> parts_;
  plan::StorageOrder order_;
};

std::string describe(const ArrayInfo& array) {
  return fmt::format("{} {}", base::element_code(array.type, array.is_boolean),
                     job::format_shape(array.shape));
}

/// Checks that `next` can follow `first` along the first dimension.
void check_continues(const ArrayInfo& first, const ArrayInfo& next) {
  const bool fits = first.type == next.type && first.is_boolean == next.is_boolean &&
                    !first.shape.empty() && first.shape.size() == next.shape.size() &&
                    std::equal(first.shape.begin() + 1, first.shape.end(), next.shape.begin() + 1);
  if (fits && !base::is_floating(first.type) && first.missing != next.missing) {
    throw base::usage_error(
        "{}: its _FillValue, missing_value or valid_range "
        "is not that of {}; --raw reads what is "
        "stored",
        next.name, first.name);
  }
  if (fits) return;
  throw base::usage_error("{}: is {} and cannot follow {}, which is {}", next.name, describe(next),
                          first.name, describe(first));
}

}  // namespace

std::vector<job::ArrayInput> expand(const job::ArrayInput& input) {
  if (input.pattern.empty()) return {input};
  std::vector<job::ArrayInput> inputs;
  glob_t found{};
  if (::glob(input.pattern.c_str(), GLOB_ERR, nullptr, &found) == 0) {
    for (std::size_t i = 0; i < found.gl_pathc; ++i) {
      job::ArrayInput one = input;
      one.path = found.gl_pathv[i];
      one.pattern.clear();
      one.text = base::printable(one.path + input.tail);
      inputs.push_back(std::move(one));
    }
  }
  ::globfree(&found);
  std::ranges::sort(inputs, {}, [](const job::ArrayInput& one) {
    return std::pair(base::natural_key(one.path), one.path);
  });
  if (inputs.empty()) throw base::missing_error("{}: no file matches", input.path);
  return inputs;
}

std::unique_ptr<ArraySource> open_arrays(std::span<const job::ArrayInput> inputs,
                                         std::int64_t piece_bytes, const OpenArray& open) {
  std::vector<job::ArrayInput> files;
  for (const job::ArrayInput& input : inputs)
    std::ranges::move(expand(input), std::back_inserter(files));
  base::allow_open_files(kOtherFiles + kFilesEach * files.size());
  std::vector<std::unique_ptr<ArraySource>> parts;
  job::Shape shape;
  for (const job::ArrayInput& file : files) {
    parts.push_back(open(file, piece_bytes));
    if (parts.size() == 1) {
      shape = parts.front()->info().shape;
      continue;
    }
    check_continues(parts.front()->info(), parts.back()->info());
    shape.front() += parts.back()->info().shape.front();
    job::count_elements(shape, file.text);
  }
  if (parts.size() == 1) return std::move(parts.front());
  return std::make_unique<JoinedArray>(std::move(parts));
}

}  // namespace tessera::store
