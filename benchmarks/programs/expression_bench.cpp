// Expressions of arrays in memory on one core, by the block evaluator and a plain sum or maximum
// behind it, beside the same written by hand as one loop: both in turn, by processor time. Each
// case checks its answer. Prints one JSON object.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/file/page_buffer.hpp"
#include "expression/evaluator.hpp"
#include "expression/parser.hpp"
#include "plain_loops.hpp"
#include "processor_time.hpp"

namespace {

using namespace tessera;

constexpr std::size_t kArrayBytes = std::size_t{64} << 20;
constexpr std::size_t kPieceBytes = std::size_t{1} << 17;  // as `tessera reduce --map` reads

/// At the beginning of a page, as what `tessera reduce` reads.
template <class T>
class Numbers {
 public:
  explicit Numbers(std::size_t bytes)
      : elements_(reinterpret_cast<T*>(memory_.take(bytes).data()), bytes / sizeof(T)) {}

  const T* data() const { return elements_.data(); }
  std::size_t size() const { return elements_.size(); }
  T& operator[](std::size_t i) { return elements_[i]; }
  std::byte* bytes() { return reinterpret_cast<std::byte*>(elements_.data()); }

 private:
  base::PageBuffer memory_;
  std::span<T> elements_;
};

template <class T>
Numbers<T> normal_numbers(unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<T> normal;
  std::vector<T> block(1 << 16);
  for (T& x : block) x = normal(random);
  Numbers<T> all(kArrayBytes);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = block[(i + i / block.size()) % block.size()];
  return all;
}

template <class T>
class Case {
 public:
  Case(const std::string& text, bool sums)
      : text_(text), sums_(sums), a_(normal_numbers<T>(1)), b_(normal_numbers<T>(2)) {
    const base::ElementType type = sizeof(T) == 8 ? base::ElementType::f64 : base::ElementType::f32;
    const std::array<expression::InputArray, 2> inputs = {{{"a", type}, {"b", type}}};
    evaluator_ = expression::make_block_evaluator(expression::parse(text, inputs, "bench"));
  }

  double by_hand() const {
    return sums_ ? loops_.sum_of_products(a_.data(), b_.data(), a_.size())
                 : loops_.largest_root(a_.data(), b_.data(), a_.size());
  }

  /// As `tessera reduce --map`: sums of pieces, which go through the second cache, and extremes of
  /// blocks in the first one.
  double evaluated() {
    double answer = sums_ ? 0 : -INFINITY;
    for (std::size_t at = 0; at < a_.size(); at += values_.size()) {
      const std::array inputs = {reinterpret_cast<const std::byte*>(a_.data() + at),
                                 reinterpret_cast<const std::byte*>(b_.data() + at)};
      if (sums_) {
        evaluator_->evaluate(inputs, {}, values_.size(), values_.bytes());
        answer += loops_.sum(values_.data(), values_.size());
        continue;
      }
      evaluator_->visit(
          inputs, {}, values_.size(), [&](std::size_t, std::span<const std::byte> elements) {
            const auto* const values = reinterpret_cast<const T*>(elements.data());
            answer = std::max(answer, loops_.largest(values, elements.size() / sizeof(T)));
          });
    }
    return answer;
  }

  nlohmann::json measure(int repeats) {
    const double wanted = by_hand();
    const double found = evaluated();
    if (std::fabs(found - wanted) > 1e-4 * std::fabs(wanted)) {
      throw std::runtime_error(fmt::format("{}: {}, not {}", text_, found, wanted));
    }
    volatile double kept = 0;
    const bench::Pairs pairs = bench::in_turn(
        repeats, [&] { kept = by_hand(); }, [&] { kept = evaluated(); });
    const double ns = 1e9 / static_cast<double>(a_.size());
    return {
        {"name", fmt::format("{}/{}", sums_ ? "product" : "root", sizeof(T) == 8 ? "f8" : "f4")},
        {"ns", ns * bench::median(pairs.own_s)},
        {"ns by hand", ns * bench::median(pairs.plain_s)},
        {"ratio", pairs.ratio()}};
  }

 private:
  std::string text_;
  bool sums_;
  const bench::PlainLoops<T>& loops_ = bench::plain_loops<T>();
  Numbers<T> a_, b_;
  Numbers<T> values_{kPieceBytes};
  std::unique_ptr<expression::Evaluator> evaluator_;
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("expressions in memory: the block evaluator beside loops by hand");
  int repeats = 9;
  app.add_option("--repeats", repeats, "pairs");
  CLI11_PARSE(app, argc, argv);
  nlohmann::json cases;
  cases.push_back(Case<double>("a*b + 1", true).measure(repeats));
  cases.push_back(Case<float>("a*b + 1", true).measure(repeats));
  cases.push_back(Case<double>("sqrt(a*a + b*b)", false).measure(repeats));
  cases.push_back(Case<float>("sqrt(a*a + b*b)", false).measure(repeats));
  fmt::print("{}\n", nlohmann::json{{"cases", cases}}.dump(1));
  return 0;
}
