#include "reduce/slice_work.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "reduce/input/mapped_source.hpp"

namespace tessera::reduce {

SliceWork::SliceWork(const store::ArraySource& source, SliceSpec slice_spec,
                     const job::ReduceJob& job, binding::RankDevices& devices)
    : ItemWork(devices),
      source_(source),
      slice_spec_(std::move(slice_spec)),
      element_bytes_(base::element_bytes(source.info().type)),
      lanes_(open_reduce_lanes(devices, slice_spec_.spec, source, slice_spec_.with, job)) {
  set_lanes(lanes_);
  if (std::ranges::any_of(lanes_, [&](const ReduceLane& lane) {
        return lane.device == devices.late() && !lane.reducer && !devices.failed(lane.device);
      })) {
    devices.fill_late_lanes([this](int device) { return open_late_lanes(device); });
  }
  const plan::ArrayPieces& pieces = source.pieces();
  const std::int64_t largest_bytes =
      pieces.max_elements() * static_cast<std::int64_t>(element_bytes_);
  slices_ = {
      .pieces = pieces.count(),
      .pieces_per_slice = std::max<std::int64_t>(1, static_cast<std::int64_t>(job.slice_bytes) /
                                                        std::max<std::int64_t>(1, largest_bytes))};
}

int SliceWork::open_late_lanes(int device) {
  return open_late_reduce_lanes(lanes_, devices_, device, slice_spec_.spec, source_,
                                slice_spec_.with);
}

std::optional<base::Bytes> SliceWork::reduce(std::int64_t slice, int lane) {
  const PassRequest& request = slice_spec_.request;
  SliceResult result{.keys = statistics::KeyTally(request.keys),
                     .weights = statistics::WeightTally(request.weights)};
  if (request.histogram) result.histogram.resize(slice_spec_.bins->count());
  ReduceLane& mine = lanes_[static_cast<std::size_t>(lane)];
  const std::int64_t first = slices_.first(slice);
  const std::int64_t end = std::min(slices_.first(slice + 1), slices_.pieces);
  bool whole = true;
  if (mine.generated != nullptr) {
    reduce_generated(first, end, mine, result);
  } else if (mine.batches) {
    whole = reduce_batches(first, end, mine, result);
  } else if (const MappedSource* const blocks = source_of_blocks(mine)) {
    whole = reduce_blocks(*blocks, first, end, mine, result);
  } else {
    whole = reduce_pieces(first, end, mine, result);
  }
  if (mine.reader) mine.reader->release();
  if (mine.pairs) mine.pairs->release();
  if (!whole) return std::nullopt;
  return base::to_bytes(elements(slice), result);
}

std::int64_t SliceWork::elements(std::int64_t slice) const {
  const std::int64_t end = std::min(slices_.first(slice + 1), slices_.pieces);
  std::int64_t elements = 0;
  for (std::int64_t piece = slices_.first(slice); piece < end; ++piece) {
    elements += source_.pieces().elements(piece);
  }
  return elements;
}

bool SliceWork::reduce_pieces(std::int64_t first, std::int64_t end, ReduceLane& lane,
                              SliceResult& result) {
  const plan::ArrayPieces& pieces = source_.pieces();
  for (std::int64_t piece = first; piece < end; ++piece) {
    if (grace_.over_after_stop_request()) return false;
    std::span<const std::byte> bytes;
    {
      const base::Stopwatch reading(lane.read_s);
      bytes = lane.reader->read(piece, end);
    }
    if (slice_spec_.request.partial && lane.pairs) {
      add_pairs(piece, end, bytes, lane, result.partial);
    }
    if (lane.present) {
      add_present(piece, bytes, lane, result);
      continue;
    }
    add(bytes, std::nullopt,
        {.of = [&pieces, piece](std::int64_t element) { return pieces.index(piece, element); },
         .in_order = pieces.in_order()},
        lane, result);
  }
  return true;
}

void SliceWork::add_present(std::int64_t piece, std::span<const std::byte> elements,
                            ReduceLane& lane, SliceResult& result) const {
  const plan::ArrayPieces& pieces = source_.pieces();
  const PresentElements& present = *lane.present;
  const auto there = lane.present->take(elements);
  if (slice_spec_.request.partial) result.partial.missing += present.missing();
  if (there.empty()) return;
  add(there, std::nullopt,
      {.of = [&](std::int64_t element) { return pieces.index(piece, present.place(element)); },
       .in_order = pieces.in_order()},
      lane, result);
}

const MappedSource* SliceWork::source_of_blocks(const ReduceLane& lane) const {
  const statistics::ReductionSpec& spec = slice_spec_.spec;
  const PassRequest& request = slice_spec_.request;
  // Exact sums and bin counts cost more per call than the first-level cache saves.
  const bool sums = spec.sum || spec.absolute || spec.squares;
  if (sums || lane.pairs || request.histogram || request.keys.any() || request.weights.any())
    return nullptr;
  return dynamic_cast<const MappedSource*>(&source_);
}

bool SliceWork::reduce_blocks(const MappedSource& source, std::int64_t first, std::int64_t end,
                              ReduceLane& lane, SliceResult& result) {
  const plan::ArrayPieces& pieces = source_.pieces();
  struct {
    const plan::ArrayPieces& pieces;
    std::int64_t piece, skipped;
    std::int64_t index(std::int64_t element) const {
      return pieces.index(piece, skipped + element);
    }
  } block{pieces, first, 0};
  const statistics::Indexing indexing{
      .of = [&block](std::int64_t element) { return block.index(element); },
      .in_order = pieces.in_order()};
  for (std::int64_t& piece = block.piece; piece < end; ++piece) {
    if (grace_.over_after_stop_request()) return false;
    const auto begun = base::Clock::now();
    source.visit_blocks(piece, [&](std::size_t place, std::span<const std::byte> elements) {
      // What comes before the first block is reading, nearly; a clock for each would cost too much.
      if (place == 0) lane.read_s += base::seconds_between(begun, base::Clock::now());
      block.skipped = static_cast<std::int64_t>(place);
      add(elements, std::nullopt, indexing, lane, result);
    });
  }
  return true;
}

bool SliceWork::reduce_batches(std::int64_t first, std::int64_t end, ReduceLane& lane,
                               SliceResult& result) {
  while (first < end) {
    if (grace_.over_after_stop_request()) return false;
    std::optional<Batch> batch;
    std::optional<statistics::Elements> with;
    {
      const base::Stopwatch reading(lane.read_s);
      batch.emplace(lane.batches->read(first, end));
      if (lane.with_batches && slice_spec_.request.partial) {
        with.emplace(lane.with_batches->read(first, first + batch->pieces).elements);
      }
    }
    if (slice_spec_.request.partial) result.partial.missing += batch->missing;
    if (batch->count > 0) add(batch->elements, with, batch->indexing, lane, result);
    first += batch->pieces;
  }
  return true;
}

/// Generated arrays have one dimension, so a slice is a contiguous range of elements.
void SliceWork::reduce_generated(std::int64_t first, std::int64_t end, ReduceLane& lane,
                                 SliceResult& result) {
  const plan::ArrayPieces& pieces = source_.pieces();
  const std::int64_t begin = pieces.first(first);
  const statistics::GeneratedElements generated{
      *lane.generated, begin, pieces.first(end - 1) + pieces.elements(end - 1) - begin};
  const statistics::Indexing indexing{
      .of = [begin](std::int64_t element) { return begin + element; }};
  std::optional<statistics::Elements> with;
  if (lane.with_generated) {
    with.emplace(
        statistics::GeneratedElements{*lane.with_generated, generated.first, generated.count});
  }
  add(generated, with, indexing, lane, result);
}

void SliceWork::add(const statistics::Elements& elements,
                    const std::optional<statistics::Elements>& with,
                    const statistics::Indexing& indexing, ReduceLane& lane,
                    SliceResult& result) const {
  const PassRequest& request = slice_spec_.request;
  if (request.partial && with) {
    lane.reducer->reduce_pairs(elements, *with, indexing, slice_spec_.spec, result.partial);
  } else if (request.partial) {
    lane.reducer->reduce(elements, indexing, result.partial);
  }
  if (request.histogram) lane.reducer->count(elements, *slice_spec_.bins, result.histogram);
  if (request.keys.any()) lane.reducer->tally(elements, indexing, request.keys, result.keys);
  if (request.weights.any()) result.weights.add(elements.bytes(), request.weights);
}

void SliceWork::add_pairs(std::int64_t piece, std::int64_t end, std::span<const std::byte> elements,
                          ReduceLane& lane, statistics::Partial& partial) const {
  auto last = base::Clock::now();
  lane.pairs->read(piece, end, elements, [&](auto x, const auto& others, const auto&) {
    auto y = others.front();
    lane.read_s += base::seconds_between(last, base::Clock::now());
    if (lane.present_pairs) {
      const auto there = lane.present_pairs->take(x, y);
      x = there.x;
      y = there.y;
    }
    lane.reducer->add_pairs(x, y, slice_spec_.spec, partial.pairs);
    last = base::Clock::now();
    return true;
  });
}

}  // namespace tessera::reduce
