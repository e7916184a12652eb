#include <algorithm>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <vector>

#include "base/file/page_buffer.hpp"
#include "expression/block_kernels.hpp"
#include "expression/evaluator.hpp"
#include "expression/functions.hpp"

namespace tessera::expression {
namespace {

/// Bytes of a register: a few of them stay in the first cache.
// crossed by: same_bits_test.of_random_expressions
constexpr std::size_t kBlockBytes = 8192;
/// How far ahead of itself the only step of a program fetches. The costliest of several steps
/// fetches the next block, which the first step will read.
constexpr std::size_t kNearBytes = 2048;
constexpr std::size_t kWidestBytes = 8;

/// Where the elements of a value are.
struct Place {
  enum class Kind { block, strip, input, result };

  Kind kind = Kind::block;
  std::size_t number = 0;  ///< number of the register, the constant, the input or the result
  std::size_t element_bytes = 0;
};

struct Step {
  Node node;
  BlockKernel kernel = nullptr;  ///< null for functions and indices
  std::vector<Place> arguments;
  Place result;
  BlockCall call;  ///< without inputs and results, which move on from block to block
};

/// How long an operation takes, roughly: the longest one fetches the elements of the next block.
int cost_of(const Node& node) {
  switch (node.op) {
    case Op::function:
    case Op::power:
      return 0;  // these do not fetch
    case Op::square_root:
    case Op::multiply_add_root:
    case Op::add_products_root:
    case Op::divide:
      return 3;
    case Op::fused_multiply_add:
    case Op::multiply_add:
    case Op::multiply_subtract:
    case Op::add_products:
    case Op::subtract_products:
    case Op::select_less:
      return 2;
    default:
      return 1;
  }
}

class BlockEvaluator : public Evaluator {
 public:
  explicit BlockEvaluator(std::span<const Program> programs) : program_(fuse(join(programs))) {
    plan();
    block_elements_ = std::max(kStrip, kBlockBytes / widest_ / kStrip * kStrip);
    memory_ = registers_.take(register_count_ * block_elements_ * widest_);
    staged_.resize((program_.inputs + result_bytes_.size()) * kStrip * kWidestBytes);
    prepare_calls();
  }

  void evaluate(std::span<const std::byte* const> inputs, const Region& region, std::size_t count,
                std::span<std::byte* const> results) override {
    results_.assign(results.begin(), results.end());
    each_block(inputs, region, count, [this](std::size_t, std::size_t done) {
      for (std::size_t r = 0; r < results_.size(); ++r) results_[r] += done * result_bytes_[r];
    });
  }

  void visit(std::span<const std::byte* const> inputs, const Region& region, std::size_t count,
             const Take& take) override {
    const std::size_t bytes_each = result_bytes_.front();
    results_ = {visited_.take(block_elements_ * bytes_each).data()};
    each_block(inputs, region, count, [&](std::size_t first, std::size_t done) {
      take(first, {results_.front(), done * bytes_each});
    });
  }

 private:
  /// A result that no step writes: an input, a constant, or one that is there twice.
  struct Copied {
    std::size_t result;
    Place from;
  };

  void plan();
  void place_results(std::span<const Place> places);
  Place place_constant(const Node& node);

  /// done(number of the first element, number of elements) after each block.
  template <class Done>
  void each_block(std::span<const std::byte* const> inputs, const Region& region, std::size_t count,
                  const Done& done) {
    inputs_.assign(inputs.begin(), inputs.end());
    region_ = &region;
    first_ = 0;
    for (std::size_t at = 0; at < count;) {
      const std::size_t left = count - at;
      const std::size_t now = std::min(left, block_elements_) / kStrip * kStrip;
      if (now == 0) {
        evaluate_rest(left);
        return done(at, left);
      }
      run(now, left - now);
      done(at, now);
      at += now;
      advance(now);
    }
  }

  /// Fewer elements than a strip: their arguments are copied, and their results.
  void evaluate_rest(std::size_t count) {
    std::byte* to = staged_.data();
    for (std::size_t i = 0; i < inputs_.size(); ++i, to += kStrip * kWidestBytes) {
      if (input_bytes_[i] == 0) continue;
      std::memset(to, 0, kStrip * kWidestBytes);
      std::memcpy(to, inputs_[i], count * input_bytes_[i]);
      inputs_[i] = to;
    }
    const std::vector<std::byte*> requested = results_;
    std::byte* const own = staged_.data() + program_.inputs * kStrip * kWidestBytes;
    for (std::size_t r = 0; r < requested.size(); ++r)
      results_[r] = own + r * kStrip * kWidestBytes;
    run(kStrip, 0);
    for (std::size_t r = 0; r < requested.size(); ++r) {
      std::memcpy(requested[r], results_[r], count * result_bytes_[r]);
    }
    results_ = requested;
  }

  void advance(std::size_t count) {
    first_ += static_cast<std::int64_t>(count);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (input_bytes_[i] > 0) inputs_[i] += count * input_bytes_[i];
    }
  }

  std::byte* block(std::size_t number) const {
    return memory_.data() + number * block_elements_ * widest_;
  }

  Strips strips(const Place& place) {
    const std::size_t bytes = kStrip * place.element_bytes;
    if (place.kind == Place::Kind::input) return {inputs_[place.number], bytes};
    if (place.kind == Place::Kind::block) return {block(place.number), bytes};
    if (place.kind == Place::Kind::result) return {results_[place.number], bytes};
    return {constants_.data() + place.number * kStrip * kWidestBytes, 0};
  }

  /// Gives each call the places that are the same for all blocks.
  void prepare_calls() {
    for (Step& step : steps_) {
      if (step.result.kind == Place::Kind::block) step.call.result = block(step.result.number);
      for (std::size_t a = 0; a < step.arguments.size(); ++a) {
        const Place& place = step.arguments[a];
        const bool moves = place.kind == Place::Kind::input || place.kind == Place::Kind::result;
        step.call.arguments[a] =
            moves ? Strips{nullptr, kStrip * place.element_bytes} : strips(place);
      }
    }
  }

  /// Evaluates `count` elements, a multiple of a strip; `next` elements follow them.
  void run(std::size_t count, std::size_t next) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      Step& step = steps_[i];
      step.call.strips = count / kStrip;
      if (step.result.kind == Place::Kind::result) step.call.result = results_[step.result.number];
      for (std::size_t a = 0; a < step.arguments.size(); ++a) {
        const Place& place = step.arguments[a];
        if (place.kind == Place::Kind::input) step.call.arguments[a].first = inputs_[place.number];
        if (place.kind == Place::Kind::result) {
          step.call.arguments[a].first = results_[place.number];
        }
      }
      if (step.node.op == Op::index) {
        fill_index(step.node.detail, count, step.call.result);
      } else if (step.node.op == Op::function) {
        call_function(step, count);
      } else {
        if (i == fetching_step_) fetch_ahead(step.call, count, next);
        step.kernel(step.call);
      }
    }
    for (const Copied& copied : copied_) copy_result(copied, count);
  }

  /// Lets the call fetch what follows a block of `count` elements, if that is as much again.
  void fetch_ahead(BlockCall& call, std::size_t count, std::size_t next) const {
    call.fetched = 0;
    if (next < count) return;
    for (std::size_t i = 0; i < inputs_.size() && call.fetched < call.ahead.size(); ++i) {
      if (input_bytes_[i] == 0) continue;
      const std::size_t distance = steps_.size() == 1 ? kNearBytes : count * input_bytes_[i];
      call.ahead[call.fetched++] = {inputs_[i] + distance, kStrip * input_bytes_[i]};
    }
  }

  void fill_index(std::uint64_t dimension, std::size_t count, std::byte* to) {
    indices_.resize(count);
    region_->fill(dimension, first_, indices_);
    std::memcpy(to, indices_.data(), count * sizeof(std::int64_t));
  }

  /// Elements in memory that functions, which take aligned arrays, cannot use as they are.
  template <class T>
  struct Copies {
    std::vector<T> x, y, result;
  };

  template <class T>
  static bool is_aligned(const std::byte* at) {
    return reinterpret_cast<std::uintptr_t>(at) % alignof(T) == 0;
  }

  template <class T>
  const T* argument_of(const Place& place, std::size_t count, std::vector<T>& copy) {
    const Strips from = strips(place);
    if (from.bytes > 0 && is_aligned<T>(from.first)) return reinterpret_cast<const T*>(from.first);
    copy.resize(count);
    if (from.bytes > 0) {
      std::memcpy(copy.data(), from.first, count * sizeof(T));
    } else {
      for (std::size_t at = 0; at < count; at += kStrip) {
        std::memcpy(copy.data() + at, from.first, kStrip * sizeof(T));
      }
    }
    return copy.data();
  }

  template <class T>
  void call_function(void (*function)(const T*, const T*, T*, std::size_t), const Step& step,
                     std::size_t count, std::byte* to) {
    Copies<T>& copies = std::get<Copies<T>>(copies_);
    const T* const x = argument_of(step.arguments[0], count, copies.x);
    const T* const y =
        step.arguments.size() > 1 ? argument_of(step.arguments[1], count, copies.y) : x;
    if (is_aligned<T>(to)) return function(x, y, reinterpret_cast<T*>(to), count);
    copies.result.resize(count);
    function(x, y, copies.result.data(), count);
    std::memcpy(to, copies.result.data(), count * sizeof(T));
  }

  void call_function(const Step& step, std::size_t count) {
    const Function& function = functions()[step.node.detail];
    if (step.node.from == base::ElementType::f32) {
      call_function<float>(function.f4_block, step, count, step.call.result);
    } else {
      call_function<double>(function.f8_block, step, count, step.call.result);
    }
  }

  void copy_result(const Copied& copied, std::size_t count) {
    const Strips from = strips(copied.from);
    const std::size_t strip_bytes = kStrip * copied.from.element_bytes;
    for (std::size_t strip = 0; strip < count / kStrip; ++strip) {
      std::memcpy(results_[copied.result] + strip * strip_bytes, from.first + strip * from.bytes,
                  strip_bytes);
    }
  }

  Program program_;
  std::vector<Step> steps_;
  std::vector<Copied> copied_;
  std::vector<std::size_t> result_bytes_;  ///< bytes of an element
  std::size_t fetching_step_ = 0;
  std::size_t register_count_ = 0;
  std::size_t widest_ = 1;  ///< bytes of the widest element in a register
  std::size_t block_elements_ = 0;
  std::vector<std::size_t> input_bytes_;  ///< bytes of an element; 0 if the input is not used
  base::PageBuffer registers_;
  std::span<std::byte> memory_;  ///< memory of the registers
  base::PageBuffer visited_;     ///< a block of results that visit() shows
  std::vector<std::byte> constants_;
  std::vector<std::byte> staged_;
  std::vector<std::int64_t> indices_;
  std::tuple<Copies<float>, Copies<double>> copies_;
  // During a call of evaluate().
  std::vector<const std::byte*> inputs_;
  std::vector<std::byte*> results_;
  const Region* region_ = nullptr;
  std::int64_t first_ = 0;
};

Place BlockEvaluator::place_constant(const Node& node) {
  const std::size_t bytes = base::element_bytes(node.to);
  const std::size_t number = constants_.size() / (kStrip * kWidestBytes);
  constants_.resize(constants_.size() + kStrip * kWidestBytes);
  std::byte* to = constants_.data() + number * kStrip * kWidestBytes;
  for (std::size_t i = 0; i < kStrip; ++i) std::memcpy(to + i * bytes, &node.detail, bytes);
  return {Place::Kind::strip, number, bytes};
}

/// Gives each value its place. A register is free again after the last use of its value.
void BlockEvaluator::plan() {
  const std::vector<Node>& nodes = program_.nodes;
  std::vector<std::size_t> last_use(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const int argument : nodes[i].arguments) {
      if (argument != kNoValue) last_use[static_cast<std::size_t>(argument)] = i;
    }
  }
  input_bytes_.resize(program_.inputs);
  std::vector<Place> places(nodes.size());
  const std::vector<Result> results = results_of(program_);
  std::vector<std::size_t> free;
  int highest_cost = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    const std::size_t bytes = base::element_bytes(node.to);
    if (node.op == Op::constant) {
      places[i] = place_constant(node);
      continue;
    }
    widest_ = std::max(widest_, bytes);
    if (node.op == Op::input) {
      input_bytes_[node.detail] = bytes;
      places[i] = {Place::Kind::input, node.detail, bytes};
      continue;
    }
    const auto result = std::ranges::find(results, static_cast<int>(i), &Result::node);
    if (result != results.end()) {
      const auto number = static_cast<std::size_t>(result - results.begin());
      places[i] = {Place::Kind::result, number, bytes};
    } else {
      if (free.empty()) free.push_back(register_count_++);
      places[i] = {Place::Kind::block, free.back(), bytes};
      free.pop_back();
    }
    Step step{.node = node, .result = places[i]};
    for (const int argument : node.arguments) {
      if (argument == kNoValue) break;
      const auto value = static_cast<std::size_t>(argument);
      step.arguments.push_back(places[value]);
      const bool seen = std::ranges::count(node.arguments, argument) > 1 &&
                        std::ranges::find(free, places[value].number) != free.end();
      if (last_use[value] == i && places[value].kind == Place::Kind::block && !seen) {
        free.push_back(places[value].number);
      }
    }
    if (node.op != Op::function && node.op != Op::index) step.kernel = block_kernel(node);
    if (cost_of(node) > highest_cost && step.kernel != nullptr) {
      highest_cost = cost_of(node);
      fetching_step_ = steps_.size();
    }
    steps_.push_back(std::move(step));
  }
  place_results(places);
}

void BlockEvaluator::place_results(std::span<const Place> places) {
  for (const Result& result : results_of(program_)) {
    const std::size_t number = result_bytes_.size();
    result_bytes_.push_back(base::element_bytes(element_of(result.type)));
    const Place& place = places[static_cast<std::size_t>(result.node)];
    const bool is_written = place.kind == Place::Kind::result && place.number == number;
    if (!is_written) copied_.push_back({number, place});
  }
}

}  // namespace

std::unique_ptr<Evaluator> make_block_evaluator(std::span<const Program> programs) {
  return std::make_unique<BlockEvaluator>(programs);
}

}  // namespace tessera::expression
