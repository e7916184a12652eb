#include "reduce/input/expression_array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include "expression/evaluator.hpp"
#include "reduce/input/expression_inputs.hpp"
#include "reduce/input/input_reader.hpp"
#include "reduce/input/subscripts.hpp"

namespace tessera::reduce {
namespace {

// not crossed: a name is cut
constexpr std::size_t kMaxNameCharacters = 60;

/// The readers and the evaluator of a thread.
struct Worker {
  explicit Worker(const ExpressionInputs& inputs) : reader(inputs) {}

  InputReader reader;
  std::unique_ptr<expression::Evaluator> evaluator;  ///< evaluator of the first expression
};

/// Workers that no thread uses at the moment.
class WorkerPool {
 public:
  /// The worker that has just read the piece before this one, or any; null if there is none.
  std::unique_ptr<Worker> take(std::int64_t piece) {
    const std::scoped_lock lock(mutex_);
    if (idle_.empty()) return nullptr;
    auto found = std::ranges::find_if(
        idle_, [piece](const auto& worker) { return worker->reader.next_piece() == piece; });
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

class ExpressionArray : public MappedSource {
 public:
  ExpressionArray(const ExpressionSpec& spec, ExpressionInputs inputs)
      : inputs_(std::move(inputs)), used_(inputs_.used()), plain_(spec.plain) {
    for (const expression::Program& program : inputs_.programs) {
      expressions_.push_back({program, expression::steps_of(program)});
    }
    if (expressions_.size() > 1) joined_ = expression::steps_of(expression::join(inputs_.programs));
    pieces_ = inputs_.pieces;
    describe(spec.texts.front().text);
  }

  plan::StorageOrder order() const override { return inputs_.order; }
  plan::Shape chunk_shape() const override {
    const auto chunked = std::ranges::find_if(inputs_.list, [](const ExpressionInput& input) {
      return input.full && !input.source->chunk_shape().empty();
    });
    return chunked == inputs_.list.end() ? plan::Shape() : chunked->source->chunk_shape();
  }
  std::optional<store::ArrayPart> part_at(std::int64_t row) const override {
    for (const ExpressionInput& input : inputs_.list) {
      if (!input.full) continue;
      if (auto part = input.source->part_at(row)) return part;
    }
    return std::nullopt;
  }
  std::uint64_t read_bytes_each() const override {
    std::uint64_t bytes = 0;
    for (const ExpressionInput& input : inputs_.list) {
      if (input.full && input.used) bytes += input.element_bytes();
    }
    return bytes;
  }
  std::uint64_t read_memory_bytes() const override { return InputReader::memory_bytes(inputs_); }

  void read(std::int64_t piece, std::span<std::byte> elements) const override {
    if (elements.empty()) return;
    with_worker(piece, [&](Worker& worker) {
      worker.reader.visit_piece(piece, used_, evaluate_to(elements, worker));
    });
  }
  void visit_blocks(std::int64_t piece, const expression::Evaluator::Take& take) const override {
    with_worker(piece, [&](Worker& worker) {
      std::size_t place = 0;
      worker.reader.visit_piece(piece, used_,
                                [&](std::span<const std::byte* const> inputs,
                                    const expression::Region& region, std::size_t count) {
                                  evaluator_of(worker).visit(
                                      inputs, region, count,
                                      [&](std::size_t first, std::span<const std::byte> elements) {
                                        take(place + first, elements);
                                      });
                                  place += count;
                                });
    });
  }
  void read_box(const plan::Box& box, std::span<std::byte> elements) const override {
    read_box(box, false, elements);
  }
  void read_box_in_order(const plan::Box& box, std::span<std::byte> elements) const override {
    read_box(box, true, elements);
  }

  std::span<const MappedExpression> expressions() const override { return expressions_; }
  std::vector<store::Dimension> dimensions_of(std::size_t expression) const override {
    std::vector<store::Dimension> dimensions(info_.shape.size());
    for (const bool is_used : {true, false}) {
      for (std::size_t i = 0; i < inputs_.list.size(); ++i) {
        if (expression::uses_input(expressions_[expression].program, i) == is_used) {
          add_dimensions(inputs_.list[i], is_used, dimensions);
        }
      }
    }
    const std::vector<std::string> names = names_of(dimensions);
    return store::dimensions_named(names).empty() ? std::vector<store::Dimension>() : dimensions;
  }
  const std::optional<expression::Steps>& joined_steps() const override { return joined_; }
  std::unique_ptr<expression::Evaluator> make_evaluator(
      std::span<const std::size_t> expressions) const override {
    std::vector<expression::Program> programs;
    for (const std::size_t number : expressions) programs.push_back(expressions_[number].program);
    return plain_ ? expression::make_plain_evaluator(programs)
                  : expression::make_block_evaluator(programs);
  }
  const std::vector<bool>& used_inputs() const override { return used_; }
  const job::ArrayInput* generated_input(std::size_t number) const override {
    const ExpressionInput& input = inputs_.list[number];
    return input.full ? input.source->generated() : nullptr;
  }
  void visit_piece(std::int64_t piece, const std::vector<bool>& requested,
                   const Visit& visit) const override {
    with_worker(
        piece, [&](Worker& worker) { worker.reader.visit_piece(piece, all_of(requested), visit); });
  }
  void visit_box(const plan::Box& box, bool in_order, const std::vector<bool>& requested,
                 const Visit& visit) const override {
    with_worker(-1, [&](Worker& worker) {
      worker.reader.visit_box(box, in_order, all_of(requested), visit);
    });
  }

 private:
  void describe(const std::string& text) {
    info_.name =
        text.size() <= kMaxNameCharacters ? text : text.substr(0, kMaxNameCharacters - 3) + "...";
    std::vector<std::string> kinds;
    for (const ExpressionInput& input : inputs_.list) {
      const std::string& kind = input.source->info().kind;
      if (std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(kind);
      info_.refers_elsewhere |= input.source->info().refers_elsewhere;
      std::ranges::copy(input.source->info().notes, std::back_inserter(info_.notes));
    }
    info_.kind = fmt::format("expression, {}", fmt::join(kinds, ", "));
    const expression::Type type = expressions_.front().program.type;
    info_.type = expression::element_of(type);
    info_.shape = inputs_.shape();
    info_.is_boolean = type == expression::Type::b1;
    set_dimensions(ExpressionArray::dimensions_of(0));
  }

  static bool is_same_slice(const store::Dimension& a, const store::Dimension& b) {
    return a.slices == b.slices &&
           std::ranges::equal(a.coordinates, b.coordinates, {}, &job::ArrayInput::slice,
                              &job::ArrayInput::slice);
  }

  void add_dimensions(const ExpressionInput& input, bool is_used,
                      std::vector<store::Dimension>& dimensions) const {
    const std::vector<store::Dimension>& own = input.source->dimensions();
    if (own.empty() || own.size() > dimensions.size()) return;
    const std::size_t before = dimensions.size() - own.size();
    for (std::size_t d = 0; d < own.size(); ++d) {
      store::Dimension& to = dimensions[before + d];
      const bool fits = input.source->info().shape[d] == info_.shape[before + d];
      if (fits && to.name.empty()) {
        to = own[d];
      } else if (fits && is_used && to.name == own[d].name && !is_same_slice(to, own[d])) {
        to.coordinates.clear();  // of x[1:] - x[:-1]
      }
    }
  }

  template <class Use>
  void with_worker(std::int64_t piece, const Use& use) const {
    std::unique_ptr<Worker> worker = idle_.take(piece);
    if (!worker) worker = std::make_unique<Worker>(inputs_);
    use(*worker);
    idle_.give_back(std::move(worker));
  }

  /// An answer for each input.
  std::vector<bool> all_of(std::vector<bool> requested) const {
    requested.resize(inputs_.list.size());
    return requested;
  }

  void read_box(const plan::Box& box, bool in_order, std::span<std::byte> elements) const {
    if (elements.empty()) return;
    with_worker(-1, [&](Worker& worker) {
      worker.reader.visit_box(box, in_order, used_, evaluate_to(elements, worker));
    });
  }

  expression::Evaluator& evaluator_of(Worker& worker) const {
    if (!worker.evaluator) worker.evaluator = make_evaluator(std::array{std::size_t{0}});
    return *worker.evaluator;
  }

  /// Evaluates what is visited to `elements`, one after the other.
  Visit evaluate_to(std::span<std::byte>& elements, Worker& worker) const {
    return [this, &elements, &evaluator = evaluator_of(worker)](
               std::span<const std::byte* const> inputs, const expression::Region& region,
               std::size_t count) {
      evaluator.evaluate(inputs, region, count, elements.data());
      elements = elements.subspan(count * base::element_bytes(info_.type));
    };
  }

  ExpressionInputs inputs_;
  std::vector<bool> used_;
  bool plain_;
  std::vector<MappedExpression> expressions_;
  std::optional<expression::Steps> joined_;
  mutable WorkerPool idle_;
};

}  // namespace

std::unique_ptr<MappedSource> open_expressions(const ExpressionSpec& spec,
                                               std::int64_t piece_bytes) {
  return std::make_unique<ExpressionArray>(
      spec, open_expression_inputs(without_subscripts(spec), piece_bytes));
}

}  // namespace tessera::reduce
