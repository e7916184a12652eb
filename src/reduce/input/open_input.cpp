#include "reduce/input/open_input.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "reduce/input/decoded_array.hpp"
#include "reduce/input/expression_array.hpp"
#include "reduce/input/paired_array.hpp"
#include "statistics/generated_elements.hpp"

namespace tessera::reduce {
namespace {

// crossed by: test_pieces_of_a_file
constexpr std::int64_t kMaxPieceBytes = std::int64_t{1} << 20;
/// Of an expression: pieces of a few arrays are in the second-level cache together.
// crossed by: test_of_every_layout
constexpr std::int64_t kMaxMappedBytes = std::int64_t{1} << 17;

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
  return decode(std::move(stored), std::move(made));
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
