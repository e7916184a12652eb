#include "device/gpu/arrays/axes/gpu_axis_reducer.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "device/gpu/arrays/axes/axis_launches.hpp"
#include "device/gpu/arrays/axes/output_cells.hpp"
#include "device/gpu/arrays/order/kept_elements.hpp"
#include "device/gpu/arrays/stream/launch_arguments.hpp"
#include "device/gpu/arrays/stream/reducer_on_queue.hpp"

namespace tessera::device::gpu {
namespace {

/// With fewer outputs than this, each output has several cells.
// crossed by: of_outputs_and_their_elements, ColumnsHaveAThreadEachAndMoreWhereThereAreFew
constexpr std::int64_t kCells = 8192;
/// Limit per round: counts of a cell have 32 bits, and limbs have room for 2^31 terms.
// not crossed: 2^29 terms take too long
constexpr std::int64_t kMaxTerms = std::int64_t{1} << 29;
/// A block searches an output. One of fewer elements would leave threads idle.
// crossed by: around_the_fewest_elements_that_a_block_searches
constexpr std::int64_t kMinSelected = TS_REDUCE_BLOCK;

class GpuAxisReducer : public ReducerOnQueue<AxisReducer> {
 public:
  GpuAxisReducer(std::unique_ptr<ArrayStream> stream, statistics::OutputSpec output_spec,
                 std::size_t max_bytes)
      : ReducerOnQueue(std::move(stream), max_bytes),
        output_spec_(std::move(output_spec)),
        spill_(spill_of(output_spec_.spec)),
        element_bytes_(static_cast<std::int64_t>(base::element_bytes(output_spec_.spec.type))) {}

  std::size_t batch_bytes() const override { return kBatchBytes; }
  bool keep_elements(std::int64_t outputs, std::int64_t elements_each,
                     const statistics::OrderPasses& passes) override {
    const bool selects = elements_each >= kMinSelected && elements_each <= kMaxTerms;
    if (!selects) return false;
    elements_end_ = std::min(kBatchBytes, max_bytes_ / 2 / TS_VECTOR_BYTES * TS_VECTOR_BYTES);
    kept_.emplace(output_spec_.spec.type, outputs, elements_each, passes, elements_end_);
    if (has_room_to_keep()) return true;
    kept_.reset();
    elements_end_ = kMaxBytes;
    return false;
  }
  void begin(std::int64_t outputs) override {
    end();  // of an abandoned tile
    if (kept_ && !has_room_to_keep()) throw DeviceError("there is no memory to keep elements");
    outputs_ = outputs;
    max_splits_ = std::max<std::int64_t>(1, kCells / std::max<std::int64_t>(1, outputs));
    all_.reset(output_spec_, outputs);
    make_room();
  }
  void add(const statistics::Elements& elements, const plan::AxisPiece& piece) override {
    const base::ElementType type = output_spec_.spec.type;
    const std::int64_t most = elements_at_once(elements, elements.count(type), element_bytes_);
    for (AxisPart& part : parts_of(piece, most)) {
      const auto bytes = static_cast<std::size_t>(part.count * element_bytes_);
      settled(*stream_, [&] {
        put_elements(elements.part(part.first, part.count, type), type, 0, aligned(bytes));
        launch(part);
        if (kept_) kept_->keep(*stream_, part.call);
      });
      // A generated array has one dimension, hence one output, and its piece may be all of it.
      if (elements.generated) count_terms(part.count);
    }
    // Every other piece contains all outputs of its tile.
    if (!elements.generated) count_terms(piece.box.elements() / outputs_);
  }
  void wait() override { stream_->wait(); }
  /// Ends the round: reads the cells. Cells with an older round number count as empty from then on.
  void end() override {
    if (terms_ == 0) return;
    CellsResult result{
        .cells = stream_->read_cells(static_cast<std::size_t>(outputs_ * used_splits_)),
        .round = round_,
        .terms = terms_};
    const auto spilled = [&](const Record& cell) {
      return cell.round == round_ && cell.spilled != 0;
    };
    std::vector<kernels::TS_U64>
        limbs;  // a copy, because the stream may reuse its buffer when it reads the bins
    if (std::ranges::any_of(result.cells, spilled)) {
      const auto read = stream_->read_spill();
      limbs.assign(read.begin(), read.end());
      result.spill = limbs;
    }
    if (output_spec_.bins) result.bins = stream_->read_bins();
    add_cells(result, output_spec_, all_);
    terms_ = 0;
    used_splits_ = 0;
    ++round_;
  }
  statistics::SpecialCounts specials() const override { return specials_of(all_); }
  void find_order(const statistics::OrderPasses& passes, const VisitFindings& visit) override {
    reach(0);
    settled(*stream_, [&] { kept_->find(*stream_, outputs_, passes, visit); });
  }
  void finish(std::int64_t elements_each, statistics::OutputPartials& to) override {
    end();
    all_.elements = elements_each;
    to = std::move(all_);
  }

 private:
  /// Bytes of a batch of pieces.
  static constexpr std::size_t kBatchBytes = std::size_t{8} << 20;

  void prepare_stream() override {
    cells_ = spilling_outputs_ = counted_outputs_ = 0;
    terms_ = used_splits_ = 0;
  }
  void make_room() {
    const std::int64_t cells = outputs_ * max_splits_;
    if (cells > cells_ || outputs_ > spilling_outputs_) {
      cells_ = std::max(cells, cells_);
      spilling_outputs_ = std::max(outputs_, spilling_outputs_);
      stream_->set_cells(static_cast<std::size_t>(cells_),
                         static_cast<std::size_t>(spilling_outputs_) * spill_.limbs);
    }
    if (!output_spec_.bins || outputs_ <= counted_outputs_) return;
    counted_outputs_ = outputs_;
    stream_->set_bins(output_spec_.bins->edges(), static_cast<std::size_t>(outputs_));
  }
  /// Whether the memory has room for what is kept, as far as it can grow.
  bool has_room_to_keep() {
    grow_towards(kept_->end());
    return stream_->capacity() >= kept_->end();
  }
  void launch(AxisPart& part) {
    kernels::TsAxis& call = part.call;
    assign_threads(call, max_splits_);
    used_splits_ = std::max<std::int64_t>(used_splits_, call.splits);
    call.tile_outputs = static_cast<std::uint32_t>(outputs_);
    call.round = round_;
    call.type = type_of(output_spec_.spec.type);
    call.flags = flags_of(output_spec_.spec);
    call.first_limb = spill_.first;
    call.limbs = spill_.limbs;
    if (output_spec_.bins) {
      const std::span<const double> edges = output_spec_.bins->edges();
      call.flags |= TS_WANT_BINS;
      call.low = edges.front();
      call.high = edges.back();
      call.bins_per_unit = bins_per_unit(edges);
      call.bins = static_cast<std::uint32_t>(output_spec_.bins->count());
    }
    stream_->enqueue(call.type >= TS_TYPE_F16 ? kernels::ArrayKernel::axis_reals
                                              : kernels::ArrayKernel::axis_integers,
                     blocks_of_threads(std::size_t{call.outputs} * call.splits * call.lanes), call);
    stream_->flush();  // it overlaps with reading the next pieces
  }
  /// Each output has got `terms` more elements.
  void count_terms(std::int64_t terms) {
    terms_ += terms;
    if (terms_ >= kMaxTerms) end();
  }

  statistics::OutputSpec output_spec_;
  SpillRange spill_;
  std::int64_t element_bytes_;
  std::int64_t outputs_ = 0;
  std::int64_t max_splits_ = 1;
  std::int64_t used_splits_ = 0;  ///< in the current round
  std::int64_t terms_ = 0;        ///< elements per output in the current round
  std::uint32_t round_ = 1;
  // Allocated numbers of cells and outputs.
  std::int64_t cells_ = 0;
  std::int64_t spilling_outputs_ = 0;
  std::int64_t counted_outputs_ = 0;
  statistics::OutputPartials all_;
  std::optional<KeptElements> kept_;
};

}  // namespace

std::unique_ptr<AxisReducer> make_gpu_axis_reducer(std::unique_ptr<ArrayStream> stream,
                                                   const statistics::OutputSpec& output_spec,
                                                   std::size_t max_bytes) {
  return std::make_unique<GpuAxisReducer>(std::move(stream), output_spec, max_bytes);
}

}  // namespace tessera::device::gpu
