#include "reduce/input/expression_array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/file/page_buffer.hpp"
#include "expression/evaluator.hpp"
#include "expression/parser.hpp"
#include "plan/piece_boxes.hpp"
#include "reduce/input/box_reader.hpp"
#include "reduce/input/open_input.hpp"
#include "reduce/input/piece_reader.hpp"

namespace tessera::reduce {
namespace {

/// Broadcast inputs up to this size are read once.
constexpr std::int64_t kMostHeldBytes = std::int64_t{4} << 20;
/// Of a memory-mapped view of each input.
constexpr std::size_t kViewBytesEach = PieceReader::kViewBytes / 4;
constexpr std::size_t kMostNameCharacters = 60;

std::size_t bytes_of(const store::ArraySource& array) {
  return base::element_bytes(array.info().type);
}

struct Input {
  std::string name;
  std::unique_ptr<store::ArraySource> source;
  bool named = true;  ///< in the expression, or none is: decides the shape
  bool used = true;
  bool full = true;         ///< of the shape of the result; others are broadcast
  bool same_pieces = true;  ///< as the result
  base::Bytes held;         ///< all elements of a small broadcast array
};

/// The box of a broadcast input with the elements for `box` of the result.
plan::Box own_box(const job::Shape& shape, const plan::Box& box) {
  plan::Box own{.origin = plan::Shape(shape.size()), .extent = plan::Shape(shape.size(), 1)};
  const std::size_t missing = box.origin.size() - shape.size();
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    own.origin[d] = box.origin[d + missing];
    own.extent[d] = box.extent[d + missing];
  }
  return own;
}

/// Copies an element for each element of `box`, in C order. `strides`: in elements of `from`, for
/// each dimension of the box.
void expand_box(const std::byte* from, std::span<const std::int64_t> strides, const plan::Box& box,
                std::size_t element_bytes, std::byte* to) {
  const std::int64_t row = box.extent.empty() ? 1 : box.extent.back();
  const std::int64_t step = strides.empty() ? 0 : strides.back();
  plan::Shape at(box.extent.size());
  for (std::int64_t rows = box.elements() / row; rows > 0; --rows) {
    std::int64_t first = 0;
    for (std::size_t d = 0; d < at.size(); ++d) first += at[d] * strides[d];
    const std::byte* element = from + static_cast<std::size_t>(first) * element_bytes;
    if (step == 1) {
      std::memcpy(to, element, static_cast<std::size_t>(row) * element_bytes);
      to += static_cast<std::size_t>(row) * element_bytes;
    } else {
      for (std::int64_t i = 0; i < row; ++i, to += element_bytes) {
        std::memcpy(to, element, element_bytes);
      }
    }
    for (std::size_t d = at.size(); d-- > 1;) {
      if (++at[d - 1] < box.extent[d - 1]) break;
      at[d - 1] = 0;
    }
  }
}

/// Strides of a C-order array of shape `shape` that is broadcast to `rank` dimensions.
std::vector<std::int64_t> broadcast_strides(const job::Shape& shape, std::size_t rank) {
  std::vector<std::int64_t> strides(rank);
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] != 1) strides[d + rank - shape.size()] = stride;
    stride *= shape[d];
  }
  return strides;
}

/// What a thread needs to read and evaluate.
struct Worker {
  std::vector<std::unique_ptr<PieceReader>> readers;
  std::vector<base::PageBuffer> boxes;
  std::vector<base::PageBuffer> expanded;
  std::unique_ptr<expression::Evaluator> evaluator;
  std::int64_t next = 0;  ///< the piece after the last one that was read
};

/// Workers that no thread uses at the moment.
class WorkerPool {
 public:
  /// The worker that has just read the piece before this one, or any; null if there is none.
  std::unique_ptr<Worker> take(std::int64_t piece) {
    const std::scoped_lock lock(mutex_);
    if (idle_.empty()) return nullptr;
    auto found =
        std::ranges::find_if(idle_, [piece](const auto& worker) { return worker->next == piece; });
    if (found == idle_.end()) --found;
    std::unique_ptr<Worker> worker = std::move(*found);
    idle_.erase(found);
    return worker;
  }
  void give_back(std::unique_ptr<Worker> worker) {
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(worker));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> idle_;
};

class ExpressionArray : public store::ArraySource {
 public:
  ExpressionArray(const ExpressionSpec& spec, std::vector<Input> inputs, plan::ArrayPieces pieces,
                  expression::Program program)
      : inputs_(std::move(inputs)),
        pieces_(std::move(pieces)),
        program_(std::move(program)),
        plain_(spec.plain) {
    describe(spec.text);
    order_ = all_in_fortran_order() ? plan::StorageOrder::first_dimension_fastest
                                    : plan::StorageOrder::last_dimension_fastest;
    const std::int64_t piece_bytes = std::max<std::int64_t>(1, pieces_.most_elements()) *
                                     static_cast<std::int64_t>(base::element_bytes(info_.type));
    slice_pieces_ =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(spec.slice_bytes) / piece_bytes);
    for (Input& input : inputs_) hold(input);
  }

  const store::ArrayInfo& info() const override { return info_; }
  const plan::ArrayPieces& pieces() const override { return pieces_; }
  plan::StorageOrder order() const override { return order_; }
  plan::Shape chunk_shape() const override {
    const auto chunked = std::ranges::find_if(inputs_, [](const Input& input) {
      return input.full && !input.source->chunk_shape().empty();
    });
    return chunked == inputs_.end() ? plan::Shape() : chunked->source->chunk_shape();
  }
  std::optional<store::ArrayPart> part_at(std::int64_t row) const override {
    for (const Input& input : inputs_) {
      if (!input.full) continue;
      if (auto part = input.source->part_at(row)) return part;
    }
    return std::nullopt;
  }
  std::uint64_t read_bytes_each() const override {
    std::uint64_t bytes = 0;
    for (const Input& input : inputs_) {
      if (input.full && input.used) bytes += bytes_of(*input.source);
    }
    return bytes;
  }
  std::uint64_t read_memory_bytes() const override {
    const auto elements = static_cast<std::uint64_t>(pieces_.most_elements());
    std::uint64_t bytes = 0;
    for (const Input& input : inputs_) {
      if (!input.used) continue;
      bytes += PieceReader::memory_bytes(*input.source) + 3 * elements * bytes_of(*input.source);
      if (input.same_pieces) bytes += kViewBytesEach;
    }
    return bytes;
  }

  void read(std::int64_t piece, std::span<std::byte> elements) const override {
    with_worker(piece, [&](Worker& worker) { read_piece(piece, worker, elements); });
  }
  void read_box(const plan::Box& box, std::span<std::byte> elements) const override {
    if (elements.empty()) return;
    with_worker(-1, [&](Worker& worker) {
      evaluate_box(box, worker, std::vector<const std::byte*>(inputs_.size()), elements);
    });
  }
  void read_box_in_order(const plan::Box& box, std::span<std::byte> elements) const override {
    if (order_ == plan::StorageOrder::last_dimension_fastest || elements.empty()) {
      return read_box(box, elements);
    }
    with_worker(-1, [&](Worker& worker) {
      std::vector<const std::byte*> from(inputs_.size());
      for (std::size_t i = 0; i < inputs_.size(); ++i) {
        if (!inputs_[i].used) continue;
        const auto to = take(worker.boxes[i], box, inputs_[i]);
        inputs_[i].source->read_box_in_order(box, to);
        from[i] = to.data();
      }
      evaluate(worker, from, {info_.shape, box.origin, box.extent, true}, elements);
    });
  }

 private:
  void describe(const std::string& text) {
    info_.name =
        text.size() <= kMostNameCharacters ? text : text.substr(0, kMostNameCharacters - 3) + "...";
    std::vector<std::string> kinds;
    for (const Input& input : inputs_) {
      const std::string& kind = input.source->info().kind;
      if (std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(kind);
      info_.refers_elsewhere |= input.source->info().refers_elsewhere;
    }
    info_.kind = fmt::format("expression, {}", fmt::join(kinds, ", "));
    info_.type = expression::element_of(program_.type);
    info_.shape = pieces_.shape();
    info_.is_boolean = program_.type == expression::Type::b1;
  }

  bool all_in_fortran_order() const {
    return std::ranges::all_of(inputs_, [](const Input& input) {
      return !input.named || (input.full && input.same_pieces &&
                              input.source->order() == plan::StorageOrder::first_dimension_fastest);
    });
  }

  static void hold(Input& input) {
    const store::ArrayInfo& array = input.source->info();
    const std::int64_t bytes =
        plan::element_count(array.shape) * static_cast<std::int64_t>(bytes_of(*input.source));
    if (input.full || !input.used || bytes > kMostHeldBytes) return;
    input.held.resize(static_cast<std::size_t>(bytes));
    PieceReader reader(*input.source, 0);
    reduce::read_box(*input.source, {plan::Shape(array.shape.size()), array.shape}, reader,
                     input.held);
  }

  std::unique_ptr<Worker> make_worker() const {
    auto worker = std::make_unique<Worker>();
    for (const Input& input : inputs_) {
      worker->readers.push_back(std::make_unique<PieceReader>(*input.source, kViewBytesEach));
    }
    worker->boxes.resize(inputs_.size());
    worker->expanded.resize(inputs_.size());
    worker->evaluator = plain_ ? expression::make_plain_evaluator(program_)
                               : expression::make_block_evaluator(program_);
    return worker;
  }

  template <class Use>
  void with_worker(std::int64_t piece, const Use& use) const {
    std::unique_ptr<Worker> worker = idle_.take(piece);
    if (!worker) worker = make_worker();
    use(*worker);
    worker->next = piece + 1;
    idle_.give_back(std::move(worker));
  }

  void read_piece(std::int64_t piece, Worker& worker, std::span<std::byte> elements) const {
    if (elements.empty()) return;
    const std::int64_t end = std::min((piece / slice_pieces_ + 1) * slice_pieces_, pieces_.count());
    std::vector<const std::byte*> from(inputs_.size());
    bool all = true;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (!inputs_[i].used) continue;
      all &= inputs_[i].same_pieces;
      if (inputs_[i].same_pieces) from[i] = worker.readers[i]->read(piece, end).data();
    }
    if (all) return evaluate(worker, from, region_of(piece), elements);
    for (const plan::Box& box : plan::boxes_of(pieces_, piece)) {
      const auto count = static_cast<std::size_t>(box.elements());
      const std::size_t bytes = count * base::element_bytes(info_.type);
      evaluate_box(box, worker, from, elements.first(bytes));
      elements = elements.subspan(bytes);
      for (std::size_t i = 0; i < inputs_.size(); ++i) {
        if (from[i] != nullptr) from[i] += count * bytes_of(*inputs_[i].source);
      }
    }
  }

  /// `from`: the elements that are in memory already; null for the inputs that have to be read.
  void evaluate_box(const plan::Box& box, Worker& worker, std::vector<const std::byte*> from,
                    std::span<std::byte> elements) const {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i].used && from[i] == nullptr) from[i] = read_input(i, box, worker);
    }
    evaluate(worker, from, {info_.shape, box.origin, box.extent}, elements);
  }

  const std::byte* read_input(std::size_t number, const plan::Box& box, Worker& worker) const {
    const Input& input = inputs_[number];
    const job::Shape& shape = input.source->info().shape;
    const plan::Box own = own_box(shape, box);
    const std::byte* from = nullptr;
    std::vector<std::int64_t> strides;
    if (input.held.empty()) {
      const auto to = take(worker.boxes[number], own, input);
      reduce::read_box(*input.source, own, *worker.readers[number], to);
      if (input.full) return to.data();
      from = to.data();
      strides = broadcast_strides(own.extent, box.extent.size());
    } else {
      strides = broadcast_strides(shape, box.extent.size());
      std::int64_t first = 0;
      for (std::size_t d = 0; d < strides.size(); ++d) first += strides[d] * box.origin[d];
      from = input.held.data() + static_cast<std::size_t>(first) * bytes_of(*input.source);
    }
    const auto expanded = take(worker.expanded[number], box, input);
    expand_box(from, strides, box, bytes_of(*input.source), expanded.data());
    return expanded.data();
  }

  static std::span<std::byte> take(base::PageBuffer& memory, const plan::Box& box,
                                   const Input& input) {
    return memory.take(static_cast<std::size_t>(box.elements()) * bytes_of(*input.source));
  }

  void evaluate(Worker& worker, std::span<const std::byte* const> from,
                const expression::Region& region, std::span<std::byte> elements) const {
    worker.evaluator->evaluate(from, region, elements.size() / base::element_bytes(info_.type),
                               elements.data());
  }

  expression::Region region_of(std::int64_t piece) const {
    if (pieces_.are_boxes()) {
      const plan::Box box = pieces_.box(piece);
      return {info_.shape, box.origin, box.extent};
    }
    expression::Region region{
        .shape = info_.shape,
        .origin = plan::Shape(info_.shape.size()),
        .extent = info_.shape,
        .first_fastest = order_ == plan::StorageOrder::first_dimension_fastest};
    if (!pieces_.is_joined()) {
      region.first = pieces_.first(piece);
      return region;
    }
    const auto [part, own] = pieces_.locate(piece);
    const plan::ArrayPieces& pieces = pieces_.part(part);
    region.origin.front() = pieces_.first_row(part);
    region.extent = pieces.shape();
    if (pieces.are_boxes()) {
      const plan::Box box = pieces.box(own);
      for (std::size_t d = 0; d < box.origin.size(); ++d) region.origin[d] += box.origin[d];
      region.extent = box.extent;
    } else {
      region.first = pieces.first(own);
    }
    return region;
  }

  std::vector<Input> inputs_;
  plan::ArrayPieces pieces_;
  expression::Program program_;
  bool plain_;
  store::ArrayInfo info_;
  plan::StorageOrder order_;
  std::int64_t slice_pieces_ = 1;
  mutable WorkerPool idle_;
};

/// The shape to which the inputs broadcast.
job::Shape broadcast_shape(const std::vector<Input>& inputs, const ExpressionSpec& spec) {
  job::Shape shape;
  for (const Input& input : inputs) {
    if (!input.named) continue;
    const job::Shape& other = input.source->info().shape;
    if (other.size() > shape.size()) shape.insert(shape.begin(), other.size() - shape.size(), 1);
    const std::size_t missing = shape.size() - other.size();
    for (std::size_t d = 0; d < other.size(); ++d) {
      std::int64_t& side = shape[d + missing];
      if (side == 1) side = other[d];
      if (side == other[d] || other[d] == 1) continue;
      const auto differs = std::ranges::find_if(inputs, [&](const Input& one) {
        const job::Shape& own = one.source->info().shape;
        const std::size_t before = shape.size() - std::min(own.size(), shape.size());
        return one.named && d + missing >= before && own[d + missing - before] == side;
      });
      throw base::usage_error("{}: the shapes do not broadcast: {} is {}, and {} is {}", spec.what,
                              differs->name, job::format_shape(differs->source->info().shape),
                              input.name, job::format_shape(other));
    }
  }
  job::count_elements(shape, spec.what);
  return shape;
}

std::vector<Input> open_inputs(const ExpressionSpec& spec,
                               const std::function<std::int64_t(std::size_t)>& piece_bytes) {
  std::vector<Input> inputs;
  for (std::size_t i = 0; i < spec.inputs.size(); ++i) {
    inputs.push_back({.name = spec.names[i],
                      .source = open_input(std::span(spec.inputs).subspan(i, 1), piece_bytes(i))});
  }
  return inputs;
}

void check_names(const ExpressionSpec& spec) {
  const auto none_names = [&](const std::string& name) {
    return std::ranges::none_of(
        spec.all_texts, [&](const std::string& text) { return expression::has_word(text, name); });
  };
  const auto unused = std::ranges::find_if(spec.names, none_names);
  if (unused == spec.names.end() || std::ranges::all_of(spec.names, none_names)) return;
  throw base::usage_error("{}: no expression has the array '{}'; leave it out", spec.what, *unused);
}

/// Which inputs decide the shape, and which are read.
void find_named(const ExpressionSpec& spec, const expression::Program& program,
                std::vector<Input>& inputs) {
  bool any = false;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    inputs[i].used = expression::uses_input(program, i);
    inputs[i].named = expression::has_word(spec.text, inputs[i].name);
    any |= inputs[i].named;
  }
  for (Input& input : inputs) input.named |= !any;
}

expression::Program parse_expression(const ExpressionSpec& spec, const std::vector<Input>& inputs) {
  std::vector<expression::InputArray> arrays;
  for (const Input& input : inputs) arrays.push_back({input.name, input.source->info().type});
  expression::Program program = expression::parse(spec.text, arrays, spec.what);
  check_names(spec);
  return program;
}

/// The pieces of the first input of the whole shape that has chunks, or else runs of elements.
plan::ArrayPieces choose_pieces(std::vector<Input>& inputs, const job::Shape& shape,
                                std::int64_t run_elements) {
  const Input* leader = nullptr;
  for (Input& input : inputs) {
    if (!input.full) continue;
    const bool chunked = !input.source->chunk_shape().empty();
    if (leader == nullptr || (chunked && leader->source->chunk_shape().empty())) leader = &input;
  }
  bool alike = leader != nullptr;
  for (const Input& input : inputs) {
    alike &= !input.named || (input.full && input.source->pieces() == leader->source->pieces());
  }
  const plan::ArrayPieces c_runs = plan::ArrayPieces::runs(
      shape, plan::StorageOrder::last_dimension_fastest, std::max<std::int64_t>(1, run_elements));
  plan::ArrayPieces pieces = c_runs;
  if (alike) {
    pieces = leader->source->pieces();
  } else if (leader != nullptr && !leader->source->chunk_shape().empty()) {
    pieces = plan::ArrayPieces::boxes(shape, leader->source->chunk_shape());
  }
  for (Input& input : inputs) input.same_pieces = input.full && input.source->pieces() == pieces;
  return pieces;
}

}  // namespace

std::unique_ptr<store::ArraySource> open_expression(const ExpressionSpec& spec,
                                                    std::int64_t piece_bytes) {
  std::vector<Input> inputs = open_inputs(spec, [&](std::size_t) { return piece_bytes; });
  expression::Program program = parse_expression(spec, inputs);
  const auto result_bytes =
      static_cast<std::int64_t>(base::element_bytes(expression::element_of(program.type)));
  const std::int64_t elements = std::max<std::int64_t>(1, piece_bytes / result_bytes);
  const auto bytes_each = [&](std::size_t i) {
    return elements * static_cast<std::int64_t>(bytes_of(*inputs[i].source));
  };
  // The same number of elements per piece. Chunks are as they are.
  bool reopen = false;
  for (std::size_t i = 0; i < inputs.size(); ++i) reopen |= bytes_each(i) != piece_bytes;
  if (reopen) inputs = open_inputs(spec, bytes_each);
  find_named(spec, program, inputs);
  const job::Shape shape = broadcast_shape(inputs, spec);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    inputs[i].full = inputs[i].named && inputs[i].source->info().shape == shape;
  }
  plan::ArrayPieces pieces = choose_pieces(inputs, shape, elements);
  return std::make_unique<ExpressionArray>(spec, std::move(inputs), std::move(pieces),
                                           std::move(program));
}

}  // namespace tessera::reduce
