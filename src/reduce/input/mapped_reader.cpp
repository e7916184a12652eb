#include "reduce/input/mapped_reader.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace tessera::reduce {
namespace {

using Kind = statistics::MappedArray::Kind;

/// Each array begins at a multiple of this.
constexpr std::size_t kAlignment = 16;

std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

std::unique_ptr<MappedReader> MappedReader::open(const store::ArraySource& source,
                                                 const device::ElementReducer& reducer,
                                                 bool consecutive, std::size_t number) {
  const auto* const mapped = dynamic_cast<const MappedSource*>(&source);
  if (mapped == nullptr || !reducer.evaluates()) return nullptr;
  const std::optional<expression::Steps>& steps = mapped->expressions()[number].steps;
  if (!steps) return nullptr;
  return std::unique_ptr<MappedReader>(new MappedReader(*mapped, *steps, reducer, consecutive));
}

std::unique_ptr<MappedReader> MappedReader::open_joined(const MappedSource& source,
                                                        const device::ElementReducer& reducer) {
  const std::optional<expression::Steps>& steps = source.joined_steps();
  if (!steps || !reducer.evaluates()) return nullptr;
  return std::unique_ptr<MappedReader>(new MappedReader(source, *steps, reducer, false));
}

MappedReader::MappedReader(const MappedSource& source, const expression::Steps& steps,
                           const device::ElementReducer& reducer, bool consecutive)
    : source_(source), steps_(steps) {
  for (const expression::StepArray& array : steps.arrays) {
    arrays_.push_back(describe(array, reducer, consecutive));
    if (arrays_.back().kind != Kind::read) continue;
    bytes_each_ += base::element_bytes(array.type);
    if (array.is_index) continue;
    requested_.resize(std::max<std::size_t>(requested_.size(), array.number + 1));
    requested_[array.number] = true;
  }
}

statistics::MappedArray MappedReader::describe(const expression::StepArray& array,
                                               const device::ElementReducer& reducer,
                                               bool consecutive) const {
  const bool one_dimension = source_.info().shape.size() == 1;
  if (array.is_index) {
    const bool counts = (array.number == expression::kFlat && (consecutive || one_dimension)) ||
                        (array.number == 0 && one_dimension);
    return {.kind = counts ? Kind::counted : Kind::read, .type = array.type};
  }
  const job::ArrayInput* const input = source_.generated_input(array.number);
  if (input == nullptr || !reducer.generates(*input)) return {.type = array.type};
  return {.kind = Kind::generated, .type = array.type, .generated = input};
}

std::uint64_t MappedReader::bytes_for(std::int64_t elements) const {
  return static_cast<std::uint64_t>(elements) * bytes_each_ + kAlignment * arrays_.size();
}

std::int64_t MappedReader::use(std::span<std::byte> memory) {
  memory_ = memory;
  room_ = std::numeric_limits<std::int64_t>::max();
  if (bytes_each_ > 0) {
    room_ = static_cast<std::int64_t>((memory.size() - bytes_for(0)) / bytes_each_);
  }
  return room_;
}

/// Copies what each visit has behind what the last one had.
MappedSource::Visit MappedReader::copy_to(std::int64_t place) const {
  return [this, place](std::span<const std::byte* const> inputs, const expression::Region& region,
                       std::size_t count) mutable {
    const std::vector<expression::StepArray>& arrays = steps_.arrays;
    std::byte* to = memory_.data();
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      if (arrays_[i].kind != Kind::read) continue;
      const std::size_t bytes_each = base::element_bytes(arrays[i].type);
      std::byte* const first = to + static_cast<std::size_t>(place) * bytes_each;
      if (arrays[i].is_index) {
        region.fill(arrays[i].number, 0, {reinterpret_cast<std::int64_t*>(first), count});
      } else {
        std::memcpy(first, inputs[arrays[i].number], count * bytes_each);
      }
      to += aligned(static_cast<std::size_t>(room_) * bytes_each);
    }
    place += static_cast<std::int64_t>(count);
  };
}

MappedSource::Visit MappedReader::copier(std::int64_t piece, std::int64_t place) {
  index_of_place_0_ = source_.pieces().index(piece, 0) - place;
  return copy_to(place);
}

MappedSource::Visit MappedReader::copier(const plan::Box& box, std::int64_t place) {
  if (box.origin.size() == 1) index_of_place_0_ = box.origin.front() - place;
  return copy_to(place);
}

void MappedReader::read(std::int64_t piece, std::int64_t place) {
  if (source_.pieces().elements(piece) == 0) return;
  source_.visit_piece(piece, requested_, copier(piece, place));
}

void MappedReader::read(const plan::Box& box, plan::StorageOrder order, std::int64_t place) {
  if (box.elements() == 0) return;
  const bool in_order = order != plan::StorageOrder::last_dimension_fastest;
  source_.visit_box(box, in_order, requested_, copier(box, place));
}

statistics::MappedElements MappedReader::elements(std::int64_t place, std::int64_t count) const {
  statistics::MappedElements part{
      .steps = steps_.steps, .results = steps_.results, .arrays = arrays_, .count = count};
  const std::byte* from = memory_.data();
  for (statistics::MappedArray& array : part.arrays) {
    array.first = index_of_place_0_ + place;
    if (array.kind != Kind::read) continue;
    const std::size_t bytes_each = base::element_bytes(array.type);
    array.read = {from + static_cast<std::size_t>(place) * bytes_each,
                  static_cast<std::size_t>(count) * bytes_each};
    from += aligned(static_cast<std::size_t>(room_) * bytes_each);
  }
  return part;
}

}  // namespace tessera::reduce
