#include <cstring>
#include <vector>

#include "expression/evaluator.hpp"
#include "expression/scalar.hpp"

namespace tessera::expression {
namespace {

class PlainEvaluator : public Evaluator {
 public:
  explicit PlainEvaluator(std::span<const Program> programs)
      : programs_(programs.begin(), programs.end()) {}

  void evaluate(std::span<const std::byte* const> inputs, const Region& region, std::size_t count,
                std::span<std::byte* const> results) override {
    for (std::size_t p = 0; p < programs_.size(); ++p) {
      evaluate_one(programs_[p], inputs, region, count, results[p]);
    }
  }

  void visit(std::span<const std::byte* const> inputs, const Region& region, std::size_t count,
             const Take& take) override {
    const Program& program = programs_.front();
    std::vector<std::byte> elements(count * base::element_bytes(element_of(program.type)));
    evaluate_one(program, inputs, region, count, elements.data());
    take(0, elements);
  }

 private:
  void evaluate_one(const Program& program, std::span<const std::byte* const> inputs,
                    const Region& region, std::size_t count, std::byte* results) {
    const std::size_t bytes = base::element_bytes(element_of(program.type));
    cells_.resize(program.nodes.size());
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t n = 0; n < cells_.size(); ++n) {
        cells_[n] = value(program.nodes[n], inputs, region, i);
      }
      std::memcpy(results + i * bytes, &cells_.back(), bytes);
    }
  }

  Cell value(const Node& node, std::span<const std::byte* const> inputs, const Region& region,
             std::size_t element) const {
    if (node.op == Op::constant) return node.detail;
    if (node.op == Op::input) {
      const std::size_t bytes = base::element_bytes(node.to);
      Cell cell = 0;
      std::memcpy(&cell, inputs[node.detail] + element * bytes, bytes);
      return cell;
    }
    if (node.op == Op::index) {
      std::int64_t index = 0;
      region.fill(node.detail, static_cast<std::int64_t>(element), std::span(&index, 1));
      return cell_of(index);
    }
    std::array<Cell, kMaxArguments> arguments{};
    for (std::size_t a = 0; a < kMaxArguments && node.arguments[a] != kNoValue; ++a) {
      arguments[a] = cells_[static_cast<std::size_t>(node.arguments[a])];
    }
    return compute(node, arguments.data());
  }

  std::vector<Program> programs_;
  std::vector<Cell> cells_;
};

template <class T>
void replace_nans(std::span<std::byte> elements, T nan, bool (*is_nan)(T)) {
  for (std::size_t at = 0; at + sizeof(T) <= elements.size(); at += sizeof(T)) {
    T bits;
    std::memcpy(&bits, elements.data() + at, sizeof(T));
    if (is_nan(bits)) bits = nan;
    std::memcpy(elements.data() + at, &bits, sizeof(T));
  }
}

}  // namespace

std::unique_ptr<Evaluator> make_plain_evaluator(std::span<const Program> programs) {
  return std::make_unique<PlainEvaluator>(programs);
}

void make_nans_equal(Type type, std::span<std::byte> elements) {
  if (type == Type::f8) {
    replace_nans<std::uint64_t>(elements, 0x7ff8000000000000, [](std::uint64_t bits) {
      return (bits & 0x7fffffffffffffff) > 0x7ff0000000000000;
    });
  } else if (type == Type::f4) {
    replace_nans<std::uint32_t>(
        elements, 0x7fc00000, [](std::uint32_t bits) { return (bits & 0x7fffffff) > 0x7f800000; });
  }  // halves are written with one NaN
}

}  // namespace tessera::expression
