#include "store/hdf5/check.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/fault.hpp"
#include "plan/piece_boxes.hpp"

namespace tessera::store {

namespace {

/// The error for a difference: the element's indices, and its bytes in both readings.
base::Error difference(const Hdf5Dataset& data, const plan::Box& box, std::size_t element,
                       std::span<const std::byte> ours, std::span<const std::byte> theirs) {
  const auto hex = [](std::span<const std::byte> bytes) {
    std::string text;
    for (const std::byte b : bytes) text += fmt::format("{:02x}", std::to_integer<unsigned>(b));
    return text;
  };
  return base::run_error(
      "{}: box of {} at [{}]: the element [{}] has the "
      "bytes {} past HDF5, and {} through H5Dread",
      data.info.name, job::format_shape(box.extent), fmt::join(box.origin, ", "),
      fmt::join(box.place_of(static_cast<std::int64_t>(element)), ", "), hex(ours), hex(theirs));
}

class CheckedStretch : public ArraySource {
 public:
  CheckedStretch(std::unique_ptr<ArraySource> stretch, Hdf5Dataset data)
      : ArraySource(stretch->info(), stretch->pieces()),
        stretch_(std::move(stretch)),
        data_(std::move(data)) {}

  void read(std::int64_t piece, std::span<std::byte> elements) const override {
    stretch_->read(piece, elements);
    check_piece(piece, elements);
  }
  void read_box(const plan::Box& box, std::span<std::byte> elements) const override {
    stretch_->read_box(box, elements);
    check_hdf5(data_, box, elements);
  }
  std::optional<ElementView> view(std::int64_t first, std::int64_t end) const override {
    auto view = stretch_->view(first, end);
    if (!view) return view;
    std::span<const std::byte> rest = view->bytes;
    for (std::int64_t piece = first; piece < end; ++piece) rest = check_piece(piece, rest);
    return view;
  }

 private:
  /// Returns the elements after the piece.
  std::span<const std::byte> check_piece(std::int64_t piece,
                                         std::span<const std::byte> elements) const {
    for (const plan::Box& box : plan::boxes_of(pieces(), piece)) {
      const std::size_t bytes =
          static_cast<std::size_t>(box.elements()) * base::element_bytes(info().type);
      check_hdf5(data_, box, elements.first(bytes));
      elements = elements.subspan(bytes);
    }
    return elements;
  }

  std::unique_ptr<ArraySource> stretch_;
  Hdf5Dataset data_;
};

}  // namespace

bool checks_hdf5() {
  static const bool ordered = [] {
    const char* const value = std::getenv("TESSERA_CHECK_HDF5");
    return value != nullptr && std::string_view(value) == "1";
  }();
  return ordered;
}

void check_hdf5(const Hdf5Dataset& data, const plan::Box& box,
                std::span<const std::byte> elements) {
  std::vector<std::byte> theirs(elements.size());
  read_hyperslab(data, box, theirs);
  if (base::fault("hdf5.check") && !theirs.empty()) theirs.back() ^= std::byte{1};
  const auto [ours, other] = std::ranges::mismatch(elements, theirs);
  if (ours == elements.end()) return;
  const std::size_t bytes = base::element_bytes(data.info.type);
  const std::size_t element = static_cast<std::size_t>(ours - elements.begin()) / bytes;
  throw difference(data, box, element, elements.subspan(element * bytes, bytes),
                   std::span<const std::byte>(theirs).subspan(element * bytes, bytes));
}

std::unique_ptr<ArraySource> check_stretch(std::unique_ptr<ArraySource> stretch, Hdf5Dataset data) {
  return std::make_unique<CheckedStretch>(std::move(stretch), std::move(data));
}

}  // namespace tessera::store
