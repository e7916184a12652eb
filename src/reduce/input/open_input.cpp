#include "reduce/input/open_input.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/file/page_buffer.hpp"
#include "base/idle_objects.hpp"
#include "base/text.hpp"
#include "reduce/input/box_reader.hpp"
#include "reduce/input/element_rule.hpp"
#include "reduce/input/expression_array.hpp"
#include "reduce/input/paired_array.hpp"
#include "reduce/input/piece_reader.hpp"
#include "reduce/input/unpack.hpp"
#include "statistics/generated_elements.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {
namespace {

// crossed by: test_pieces_of_a_file
constexpr std::int64_t kMaxPieceBytes = std::int64_t{1} << 20;
/// Of an expression: pieces of a few arrays are in the second-level cache together.
// crossed by: test_of_every_layout
constexpr std::int64_t kMaxMappedBytes = std::int64_t{1} << 17;

/// The numbers that stored elements stand for: everything that is read goes through unpack().
/// Threads read it at the same time, and each decompresses chunks by itself.
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

class GeneratedArray : public store::ArraySource {
 public:
  GeneratedArray(const job::ArrayInput& input, std::int64_t piece_elements)
      : ArraySource({.name = input.text, .kind = "made", .type = input.type, .shape = input.shape},
                    plan::ArrayPieces::runs(input.shape, plan::StorageOrder::last_dimension_fastest,
                                            piece_elements)),
        input_(input) {}

  const job::ArrayInput* generated() const override { return &input_; }
  void read(std::int64_t piece, std::span<std::byte> elements) const override {
    statistics::generate(input_, pieces_.first(piece), elements);
  }
  void read_box(const plan::Box& box, std::span<std::byte> elements) const override {
    statistics::generate(input_, box.origin.front(), elements);
  }

 private:
  job::ArrayInput input_;
};

std::unique_ptr<store::ArraySource> open_texts(const job::ArrayJob& job,
                                               std::vector<ExpressionText> texts,
                                               std::int64_t piece_bytes) {
  return open_expressions({.texts = std::move(texts),
                           .names = job.names,
                           .inputs = job.inputs,
                           .slice_bytes = job.slice_bytes,
                           .plain = job.device == "reference"},
                          piece_bytes);
}

/// A file, or a generated array, as it is.
std::unique_ptr<store::ArraySource> open_stored(const job::ArrayInput& input,
                                                std::int64_t piece_bytes) {
  if (!input.is_generated()) return store::open_array(input, piece_bytes);
  const auto element_bytes = static_cast<std::int64_t>(base::element_bytes(input.type));
  return std::make_unique<GeneratedArray>(input,
                                          std::max<std::int64_t>(1, piece_bytes / element_bytes));
}

/// The numbers that the elements of one array stand for.
std::unique_ptr<store::ArraySource> open_decoded(const job::ArrayInput& input,
                                                 std::int64_t piece_bytes, MissingAs missing) {
  auto stored = open_stored(input, piece_bytes);
  MadeRule made = make_rule(stored->info(), input.decoding, missing);
  if (!made.needed) return stored;
  const auto from = static_cast<std::int64_t>(base::element_bytes(made.rule.stored));
  const auto to = static_cast<std::int64_t>(base::element_bytes(made.rule.value));
  // Pieces are as large as they are in memory.
  if (from != to && stored->chunk_shape().empty()) {
    stored = open_stored(input, std::max(from, piece_bytes / to * from));
  }
  return std::make_unique<DecodedArray>(std::move(stored), std::move(made));
}

}  // namespace

std::int64_t piece_bytes(const job::ArrayJob& job) {
  const std::int64_t most = job.map.empty() ? kMaxPieceBytes : kMaxMappedBytes;
  return std::min(most, static_cast<std::int64_t>(job.slice_bytes));
}

std::unique_ptr<store::ArraySource> open_source(const job::ArrayJob& job,
                                                std::int64_t piece_bytes) {
  if (job.map.empty()) return open_input(job.inputs, piece_bytes, MissingAs::no_element);
  return open_texts(job, {{job.map, "--map"}}, piece_bytes);
}

std::unique_ptr<store::ArraySource> open_mapped(const job::MapJob& job, std::int64_t piece_bytes) {
  const bool several = job.mapped.size() > 1;
  std::vector<ExpressionText> texts;
  for (const job::MappedArray& array : job.mapped) {
    texts.push_back({array.text, several ? "map " + array.name : "map", array.name});
  }
  return open_texts(job, std::move(texts), piece_bytes);
}

std::unique_ptr<store::ArraySource> open_input(std::span<const job::ArrayInput> inputs,
                                               std::int64_t piece_bytes, MissingAs missing) {
  const auto open = [missing](const job::ArrayInput& input, std::int64_t bytes) {
    return open_decoded(input, bytes, missing);
  };
  const auto generated = std::ranges::find_if(inputs, &job::ArrayInput::is_generated);
  if (generated == inputs.end()) return store::open_arrays(inputs, piece_bytes, open);
  if (inputs.size() > 1) {
    throw base::usage_error("{}: is an array alone; name no other INPUT", generated->text);
  }
  return open(*generated, piece_bytes);
}

std::unique_ptr<store::ArraySource> open_second(const job::ReduceJob& job,
                                                const store::ArraySource& x) {
  const job::ArrayInput input = job::with_input(job);
  const auto open = [&](std::int64_t bytes) {
    return open_input(std::span(&input, 1), bytes, MissingAs::no_element);
  };
  const auto bytes_of = [](const store::ArraySource& array) {
    return static_cast<std::int64_t>(base::element_bytes(array.info().type));
  };
  auto y = open(piece_bytes(job));
  if (y->info().shape != x.info().shape) {
    throw base::usage_error("--with {}: is {}, and {} is {}", input.text,
                            job::format_shape(y->info().shape), x.info().name,
                            job::format_shape(x.info().shape));
  }
  if (!std::ranges::is_sorted(places_in(x, *y, {.what = "--with " + input.text}))) {
    throw base::usage_error(
        "--with {}: has the dimensions {}, and {} has {}; --axis with all of them takes them by "
        "their names",
        input.text, base::join(y->dimension_names(), ", "), x.info().name,
        base::join(x.dimension_names(), ", "));
  }
  // The same number of elements per piece.
  if (bytes_of(*y) != bytes_of(x)) y = open(piece_bytes(job) / bytes_of(x) * bytes_of(*y));
  return y;
}

}  // namespace tessera::reduce
