#include "store/arrays/contiguous_array.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "base/bools.hpp"
#include "base/byte_order.hpp"
#include "base/error.hpp"
#include "base/file/file_view.hpp"
#include "base/file/input_file.hpp"
#include "base/file/posix_file.hpp"
#include "base/text.hpp"
#include "store/arrays/npy_header.hpp"
#include "store/arrays/read_rows.hpp"

namespace tessera::store {

namespace {

/// Elements of a header, times their size.
__extension__ using Wide = unsigned __int128;

class ContiguousArray : public ArraySource {
 public:
  ContiguousArray(const std::string& path, ArrayInfo info, const ContiguousData& stretch,
                  std::int64_t piece_bytes)
      : ArraySource(std::move(info)),
        file_(path),
        element_bytes_(base::element_bytes(info_.type)),
        stretch_(stretch) {
    pieces_ = plan::ArrayPieces::runs(
        info_.shape, stretch.order,
        std::max<std::int64_t>(1, piece_bytes / static_cast<std::int64_t>(element_bytes_)));
    const auto elements = static_cast<std::uint64_t>(job::count_elements(info_.shape, info_.name));
    const auto count_of = [](std::uint64_t count, const char* thing) {
      return base::count_of(static_cast<std::int64_t>(count), thing);
    };
    const std::uint64_t there =
        file_.size_bytes() - std::min(file_.size_bytes(), stretch.offset_bytes);
    if (there / element_bytes_ >= elements) return;
    const Wide needed = Wide{elements} * element_bytes_ + stretch.offset_bytes;
    throw base::usage_error("{}: is cut off: {} of {} need a file of {} byte{}, it has {}", path,
                            count_of(elements, "element"), count_of(element_bytes_, "byte"), needed,
                            needed == 1 ? "" : "s", file_.size_bytes());
  }

  void read(std::int64_t piece, std::span<std::byte> elements) const override {
    const auto first = static_cast<std::uint64_t>(pieces_.first(piece));
    file_.read_at(stretch_.offset_bytes + first * element_bytes_, elements);
    to_native(elements);
  }

  void read_box(const plan::Box& box, std::span<std::byte> elements) const override {
    if (order() == plan::StorageOrder::last_dimension_fastest || elements.empty()) {
      return read_box_in_order(box, elements);
    }
    std::vector<std::byte> stored(elements.size());
    read_box_in_order(box, stored);
    transpose_order(stored, box.extent, element_bytes_, elements);
  }

  plan::StorageOrder order() const override { return stretch_.order; }

  void read_box_in_order(const plan::Box& box, std::span<std::byte> elements) const override {
    if (elements.empty()) return;
    const auto in_order = [this](const plan::Shape& shape) {
      if (order() == plan::StorageOrder::last_dimension_fastest) return shape;
      return plan::Shape(shape.rbegin(), shape.rend());
    };
    const auto read = [this](std::uint64_t offset, std::span<std::byte> bytes) {
      file_.read_at(stretch_.offset_bytes + offset, bytes);
    };
    const plan::Box stored{in_order(box.origin), in_order(box.extent)};
    read_rows(plan::BoxRows(in_order(info_.shape), stored), element_bytes_, read, elements);
    to_native(elements);
  }

  std::optional<ElementView> view(std::int64_t first, std::int64_t end) const override {
    const bool as_they_are = !info_.is_boolean &&
                             stretch_.big_endian == (std::endian::native == std::endian::big) &&
                             stretch_.offset_bytes % element_bytes_ == 0;
    if (!as_they_are) return std::nullopt;
    const std::int64_t elements =
        pieces_.first(end - 1) + pieces_.elements(end - 1) - pieces_.first(first);
    auto mapped = base::FileView::open(
        file_,
        stretch_.offset_bytes + static_cast<std::uint64_t>(pieces_.first(first)) * element_bytes_,
        static_cast<std::size_t>(elements) * element_bytes_);
    if (!mapped) return std::nullopt;
    auto owner = std::make_shared<const base::FileView>(std::move(*mapped));
    const std::span<const std::byte> bytes = owner->bytes();
    return ElementView{bytes, std::move(owner)};
  }

 private:
  void to_native(std::span<std::byte> elements) const {
    if (stretch_.big_endian != (std::endian::native == std::endian::big)) {
      base::swap_byte_order(elements, element_bytes_);
    }
    if (info_.is_boolean) base::make_bools(elements);
  }

  base::InputFile file_;
  std::size_t element_bytes_;
  ContiguousData stretch_;
};

}  // namespace

std::unique_ptr<ArraySource> open_contiguous(const std::string& path, ArrayInfo info,
                                             const ContiguousData& stretch,
                                             std::int64_t piece_bytes) {
  return std::make_unique<ContiguousArray>(path, std::move(info), stretch, piece_bytes);
}

std::unique_ptr<ArraySource> open_npy_within(const std::string& path, std::uint64_t offset,
                                             std::uint64_t bytes, ArrayInfo info,
                                             std::int64_t piece_bytes,
                                             std::shared_ptr<const void> file) {
  const base::InputFile input(path);
  std::vector<std::byte> head(std::min<std::uint64_t>(kNpyPreambleBytes, bytes));
  input.read_at(offset, head);
  const std::uint64_t head_bytes = npy_header_bytes(head, info.name);
  if (head_bytes > bytes) {
    throw base::usage_error("{}: is cut off within its .npy head", info.name);
  }
  head.resize(head_bytes);
  input.read_at(offset, head);
  const NpyHeader header = parse_npy_header(head, info.name);
  info.kind += header.fortran_order ? "npy, Fortran order" : "npy, C order";
  info.type = header.type;
  info.shape = header.shape;
  info.is_boolean = header.is_boolean;
  return open_contiguous(
      path, std::move(info),
      {.offset_bytes = offset + header.data_offset_bytes,
       .big_endian = header.big_endian,
       .order = header.fortran_order ? plan::StorageOrder::first_dimension_fastest
                                     : plan::StorageOrder::last_dimension_fastest,
       .file = std::move(file)},
      piece_bytes);
}

std::unique_ptr<ArraySource> open_npy(const job::ArrayInput& input, std::int64_t piece_bytes) {
  return open_npy_within(input.path, 0, base::InputFile(input.path).size_bytes(),
                         {.name = input.text, .kind = "", .shape = {}}, piece_bytes);
}

std::unique_ptr<ArraySource> open_raw(const job::ArrayInput& input, std::int64_t piece_bytes) {
  ArrayInfo info{.name = input.text,
                 .kind = "raw",
                 .type = input.type,
                 .shape = input.shape,
                 .is_boolean = input.is_boolean};
  return open_contiguous(input.path, std::move(info),
                         {.offset_bytes = input.offset_bytes, .big_endian = input.big_endian},
                         piece_bytes);
}

std::vector<std::uint64_t> create_raw(const std::string& path,
                                      const std::vector<WrittenArray>& /*arrays*/,
                                      const Attributes& /*attributes*/) {
  const base::PosixFile file(path, base::PosixFile::Start::as_it_is);
  return {0};
}

}  // namespace tessera::store
