#include "reduce/input/recut_array.hpp"

#include <utility>

namespace tessera::reduce {
namespace {

class RecutArray : public store::ArraySource {
 public:
  RecutArray(std::unique_ptr<store::ArraySource> array, plan::ArrayPieces boxes)
      : ArraySource(array->info(), std::move(boxes)), array_(std::move(array)) {}

  void read_box(const plan::Box& box, std::span<std::byte> elements) const override {
    array_->read_box(box, elements);
  }

  std::uint64_t read_memory_bytes() const override { return array_->read_memory_bytes(); }
  std::uint64_t read_bytes_each() const override { return array_->read_bytes_each(); }
  std::optional<store::ArrayPart> part_at(std::int64_t row) const override {
    return array_->part_at(row);
  }

 private:
  std::unique_ptr<store::ArraySource> array_;
};

}  // namespace

void cut_alike(std::unique_ptr<store::ArraySource>& x, std::unique_ptr<store::ArraySource>& y) {
  if (x->pieces().are_boxes() == y->pieces().are_boxes()) return;
  const bool recut_x = y->pieces().are_boxes();
  std::unique_ptr<store::ArraySource>& other = recut_x ? x : y;
  if (!other->chunk_shape().empty()) return;  // several files with chunks of their own
  other = std::make_unique<RecutArray>(std::move(other), (recut_x ? y : x)->pieces());
}

}  // namespace tessera::reduce
