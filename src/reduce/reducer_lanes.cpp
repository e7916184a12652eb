#include "reduce/reducer_lanes.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "reduce/open_lanes.hpp"

namespace tessera::reduce {
namespace {

class LaneOpener {
 public:
  LaneOpener(const binding::RankDevices& devices, const statistics::ReductionSpec& spec,
             const store::ArraySource& source, const store::ArraySource* with,
             const job::ReduceJob& job)
      : devices_(devices),
        spec_(spec),
        source_(source),
        with_(with),
        job_(job),
        budget_(job.memory_bytes) {}

  std::vector<ReduceLane> open() {
    lanes_ = open_lanes<ReduceLane>(
        devices_, "does not reduce arrays in that way",
        [this](const device::Device& device) { return device.open_reducer(spec_); },
        [this](ReduceLane& lane) { return equip(lane); });
    if (lanes_.empty()) refuse();
    open_readers();
    return std::move(lanes_);
  }

 private:
  /// False if there is no memory for the lane.
  bool equip(ReduceLane& lane) {
    if (!makes_all(lane)) return give_memory(lane);
    lane.generated = &job_.inputs.front();
    return true;
  }

  /// Whether the lane's device generates all elements itself.
  bool makes_all(ReduceLane& lane) const {
    if (!lane.reducer->generates(job_.inputs.front())) return false;
    if (with_ == nullptr) return true;
    job::ArrayInput with = job::parse_array_input(job_.with);
    if (!lane.reducer->generates(with)) return false;
    lane.with_generated = std::move(with);
    return true;
  }

  bool give_memory(ReduceLane& lane) {
    const std::uint64_t batch = batch_bytes_of(*lane.reducer);
    const std::uint64_t with_batch =
        with_ == nullptr ? 0 : batch / bytes_of(source_) * bytes_of(*with_);
    std::uint64_t needed = PieceReader::memory_bytes(source_) + batch + with_batch;
    if (with_ != nullptr) needed += PairReader::memory_bytes(source_, *with_);
    if (!budget_.take(needed)) return false;
    lane.reads = true;
    if (batch > 0) {
      lane.batches = std::make_unique<BatchReader>(source_, lane.reducer->make_host_buffer(batch));
    }
    if (with_batch > 0) {
      lane.with_batches =
          std::make_unique<BatchReader>(*with_, lane.reducer->make_host_buffer(with_batch));
    }
    return true;
  }

  static std::uint64_t bytes_of(const store::ArraySource& source) {
    return base::element_bytes(source.info().type);
  }

  /// The memory that is left is divided among the lanes for memory-mapped views of the file.
  void open_readers() {
    const auto reading =
        static_cast<std::uint64_t>(std::ranges::count(lanes_, true, &ReduceLane::reads));
    if (reading == 0) return;
    const std::uint64_t room = budget_.left_bytes() / reading;
    for (ReduceLane& lane : lanes_) {
      if (!lane.reads) continue;
      lane.reader = std::make_unique<PieceReader>(
          source_, std::min<std::uint64_t>(PieceReader::kViewBytes, room));
      if (lane.with_batches) {
        lane.with_reader = std::make_unique<PieceReader>(*with_);
      } else if (with_ != nullptr) {
        lane.pairs = std::make_unique<PairReader>(source_, *with_);
      }
    }
  }

  /// 0 for two arrays that are cut into different pieces: those are read box by box.
  std::uint64_t batch_bytes_of(const device::Reducer& reducer) const {
    if (with_ != nullptr && !(source_.pieces() == with_->pieces())) return 0;
    const auto piece = static_cast<std::uint64_t>(source_.pieces().most_elements()) *
                       base::element_bytes(spec_.type);
    return batch_bytes(reducer.batch_bytes(), piece, job_.slice_bytes);
  }

  [[noreturn]] void refuse() const {
    const auto [given, needed] = budget_.given_and_needed();
    throw base::usage_error(
        "--memory {}: {} at a time on one thread needs {}; give at least that, or a smaller "
        "--slice",
        given, base::format_bytes(static_cast<double>(budget_.least_bytes())), needed);
  }

  const binding::RankDevices& devices_;
  const statistics::ReductionSpec& spec_;
  const store::ArraySource& source_;
  const store::ArraySource* with_;
  const job::ReduceJob& job_;
  LaneBudget budget_;
  std::vector<ReduceLane> lanes_;
};

}  // namespace

std::vector<ReduceLane> open_reduce_lanes(const binding::RankDevices& devices,
                                          const statistics::ReductionSpec& spec,
                                          const store::ArraySource& source,
                                          const store::ArraySource* with,
                                          const job::ReduceJob& job) {
  return LaneOpener(devices, spec, source, with, job).open();
}

}  // namespace tessera::reduce
