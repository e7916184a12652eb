#include <algorithm>

#include "api/call.hpp"
#include "api/direct.hpp"
#include "api/reduction.hpp"
#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/version.hpp"
#include "comm/world.hpp"
#include "reduce/reduce.hpp"
#include "statistics/operations.hpp"
#include "tessera/reduce.hpp"

namespace tessera::v0 {

struct Partial::State {
  Options options;     ///< of the reduction
  bool pairs = false;  ///< of two arrays
  statistics::ReductionSpec spec;
  statistics::Partial sums;
};

Partial::Partial(std::unique_ptr<State> state) : state_(std::move(state)) {}
Partial::~Partial() = default;
Partial::Partial(const Partial& other) : state_(std::make_unique<State>(*other.state_)) {}
Partial::Partial(Partial&&) noexcept = default;
Partial& Partial::operator=(Partial&&) noexcept = default;
Partial& Partial::operator=(const Partial& other) {
  return *this = Partial(other);
}

Partial Partial::of(Context& context, const Source& part, const Reduction& reduction,
                    std::int64_t first, const Run& run) {
  auto state = std::make_unique<State>();
  state->options = reduction.options;
  state->pairs = reduction.with.has_value();
  const job::ReduceJob job = api::translate([&] {
    job::ReduceJob made = api::make_job(context.settings(), part, reduction);
    api::check_partial(made, "partial");
    if (context.settings().communicator != nullptr) {
      throw base::usage_error("partial: is of this process; leave out the communicator");
    }
    return made;
  });
  const auto direct =
      api::translate([&] { return api::reduce_directly(context.state(), job, run.stop); });
  if (direct) {
    state->spec = direct->spec;
    state->sums = direct->sums;
  } else {
    api::call(context, run, [&](run::Context& inside) {
      std::optional<reduce::ReduceCheckpoints> checkpoints;
      reduce::PartialState found;
      reduce::reduce(inside, job, checkpoints, {.state = &found});
      state->spec = found.spec;
      state->sums = found.sums;
    });
  }
  state->sums.move_places(first);
  return Partial(std::move(state));
}

Partial Partial::from_bytes(std::span<const std::byte> bytes) {
  return api::translate([&] {
    base::ByteReader from(bytes);
    const auto version = from.get<std::string>();
    if (version != base::version_and_commit()) {
      throw base::usage_error("partial: is of tessera {}, and this is {}", version,
                              base::version_and_commit());
    }
    auto state = std::make_unique<State>();
    const auto texts = from.get<std::vector<std::string>>();
    for (std::size_t i = 0; i + 1 < texts.size(); i += 2) {
      state->options.emplace_back(texts[i], texts[i + 1]);
    }
    from.read(state->pairs);
    from.read(state->spec);
    from.read(state->sums);
    return Partial(std::move(state));
  });
}

std::vector<std::byte> Partial::bytes() const {
  std::vector<std::string> texts;
  for (const auto& [name, value] : state_->options) {
    texts.push_back(name);
    texts.push_back(value);
  }
  return base::to_bytes(base::version_and_commit(), texts, state_->pairs, state_->spec,
                        state_->sums);
}

void Partial::merge(const Partial& other) {
  api::translated([&] {
    const statistics::ReductionSpec& a = state_->spec;
    const statistics::ReductionSpec& b = other.state_->spec;
    if (state_->options != other.state_->options || a.type != b.type ||
        a.with_type != b.with_type) {
      throw base::usage_error("partial: the other one is of another reduction, or of another type");
    }
  });
  state_->sums.merge(other.state_->sums);
}

Results Partial::results() const {
  return api::translate([&] {
    Reduction reduction{.options = state_->options};
    if (state_->pairs) reduction.with = Source::file("with.npy");
    const job::ReduceJob job = api::make_job({}, Source::file("array.npy"), reduction);
    return api::results_of(job, state_->spec, state_->sums);
  });
}

}  // namespace tessera::v0
