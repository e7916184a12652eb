#include "reduce/input/decoded_array.hpp"

#include <utility>

#include "base/file/page_buffer.hpp"
#include "base/idle_objects.hpp"
#include "reduce/input/box_reader.hpp"
#include "reduce/input/piece_reader.hpp"
#include "reduce/input/unpack.hpp"

namespace tessera::reduce {
namespace {

class DecodedArray : public store::ArraySource {
 public:
  DecodedArray(std::unique_ptr<store::ArraySource> stored, MadeRule made)
      : ArraySource(stored->info(), stored->pieces()),
        stored_(std::move(stored)),
        rule_(std::move(made.rule)) {
    info_.type = rule_.value;
    info_.missing = rule_.markers;
    info_.packed = nullptr;
    info_.unpacking = {rule_.scale, rule_.offset, rule_.stored};
    info_.notes = std::move(made.notes);
    set_dimensions(stored_->dimensions());
    set_texts(stored_->texts());
  }

  plan::StorageOrder order() const override { return stored_->order(); }
  plan::Shape chunk_shape() const override { return stored_->chunk_shape(); }
  std::uint64_t read_bytes_each() const override { return stored_->read_bytes_each(); }
  std::uint64_t read_memory_bytes() const override {
    const auto elements = static_cast<std::uint64_t>(stored_->max_elements());
    return PieceReader::memory_bytes(*stored_) + 2 * elements * stored_bytes();
  }

  void read(std::int64_t piece, std::span<std::byte> elements) const override {
    if (elements.empty()) return;
    readers_.lend([&](Reader& reader) {
      unpack(rule_, reader.pieces.read(piece, piece + 1), elements);
      reader.pieces.release();
    });
  }
  void read_box(const plan::Box& box, std::span<std::byte> elements) const override {
    read_to(elements, [&](Reader& reader, std::span<std::byte> to) {
      reduce::read_box(*stored_, box, reader.pieces, to);
    });
  }
  void read_box_in_order(const plan::Box& box, std::span<std::byte> elements) const override {
    if (order() == plan::StorageOrder::last_dimension_fastest) return read_box(box, elements);
    read_to(elements,
            [&](Reader&, std::span<std::byte> to) { stored_->read_box_in_order(box, to); });
  }

 private:
  /// The reader of a thread.
  struct Reader {
    explicit Reader(const store::ArraySource& stored) : pieces(stored, 0) {}
    PieceReader pieces;
    base::PageBuffer box;
  };

  std::size_t stored_bytes() const { return base::element_bytes(rule_.stored); }

  template <class Read>
  void read_to(std::span<std::byte> elements, const Read& read) const {
    if (elements.empty()) return;
    readers_.lend([&](Reader& reader) {
      const std::size_t count = elements.size() / base::element_bytes(rule_.value);
      const auto to = reader.box.take(count * stored_bytes());
      read(reader, to);
      unpack(rule_, to, elements);
    });
  }

  std::unique_ptr<store::ArraySource> stored_;
  ElementRule rule_;
  mutable base::IdleObjects<Reader> readers_{[this] { return std::make_unique<Reader>(*stored_); }};
};

}  // namespace

std::unique_ptr<store::ArraySource> decode(std::unique_ptr<store::ArraySource> stored,
                                           MadeRule made) {
  return std::make_unique<DecodedArray>(std::move(stored), std::move(made));
}

}  // namespace tessera::reduce
