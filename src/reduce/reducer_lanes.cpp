#include "reduce/reducer_lanes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/text.hpp"
#include "binding/lane_budget.hpp"

namespace tessera::reduce {
namespace {

class LaneOpener {
 public:
  LaneOpener(const binding::RankDevices& devices, const statistics::ReductionSpec& spec,
             const store::ArraySource& source, const store::ArraySource* with,
             const job::ReduceJob& job)
      : devices_(devices), spec_(spec), source_(source), with_(with), job_(job) {}

  std::vector<ReduceLane> open() {
    binding::open_in_rounds(devices_.count(),
                            [this](int device, int round) { return open_one(device, round); });
    if (lanes_.empty()) refuse();
    open_readers();
    return std::move(lanes_);
  }

 private:
  /// Lane number `round` of the device; false if it has no more.
  bool open_one(int device, int round) {
    if (devices_.lost(device)) {
      lanes_.push_back({.device = device});
      return false;
    }
    if (round >= devices_[device].lanes()) return false;
    ReduceLane lane{.device = device, .reducer = open_reducer(device, round > 0)};
    if (!lane.reducer) return false;
    if (makes_all(lane)) {
      lane.generated = &job_.inputs.front();
    } else if (!give_memory(lane)) {
      return false;
    }
    lanes_.push_back(std::move(lane));
    return true;
  }

  /// Null where there is no room for one more.
  std::unique_ptr<device::Reducer> open_reducer(int device, bool one_more) const {
    const std::string& name = devices_[device].info().name;
    try {
      auto reducer = devices_[device].open_reducer(spec_);
      if (!reducer) {
        throw base::usage_error("--device {}: does not reduce arrays in that way", name);
      }
      return reducer;
    } catch (const device::DeviceError& error) {
      if (one_more) return nullptr;
      throw device::DeviceError(fmt::format("{}: {}", name, error.what()));
    }
  }

  /// Whether the lane's device makes all elements itself.
  bool makes_all(ReduceLane& lane) const {
    if (!lane.reducer->generates(job_.inputs.front())) return false;
    if (with_ == nullptr) return true;
    job::ArrayInput with = job::parse_array_input(job_.with);
    if (!lane.reducer->generates(with)) return false;
    lane.with_generated = std::move(with);
    return true;
  }

  bool give_memory(ReduceLane& lane) {
    const std::uint64_t batch = batch_bytes(*lane.reducer);
    const std::uint64_t with_batch =
        with_ == nullptr ? 0 : batch / bytes_of(source_) * bytes_of(*with_);
    std::uint64_t needed = PieceReader::memory_bytes(source_) + batch + with_batch;
    if (with_ != nullptr) needed += PairReader::memory_bytes(source_, *with_);
    least_bytes_ = std::min(least_bytes_, needed);
    if (binding::kProgramBytes + used_bytes_ + needed > job_.memory_bytes) return false;
    used_bytes_ += needed;
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

  /// What memory is left is for views of the file.
  void open_readers() {
    const auto reading =
        static_cast<std::uint64_t>(std::ranges::count(lanes_, true, &ReduceLane::reads));
    if (reading == 0) return;
    const std::uint64_t room = (job_.memory_bytes - binding::kProgramBytes - used_bytes_) / reading;
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

  /// As much as the device likes, but no more than a slice, and no less than a piece. None of two
  /// arrays that are cut in different ways, which are read box by box.
  std::uint64_t batch_bytes(const device::Reducer& reducer) const {
    if (reducer.batch_bytes() == 0) return 0;
    if (with_ != nullptr && !(source_.pieces() == with_->pieces())) return 0;
    const auto piece = static_cast<std::uint64_t>(source_.pieces().most_elements()) *
                       base::element_bytes(spec_.type);
    return std::max(piece, std::min<std::uint64_t>(reducer.batch_bytes(), job_.slice_bytes));
  }

  [[noreturn]] void refuse() const {
    const auto [given, needed] =
        base::format_different_bytes(static_cast<double>(job_.memory_bytes),
                                     static_cast<double>(binding::kProgramBytes + least_bytes_));
    throw base::usage_error(
        "--memory {}: {} at a time on one thread needs {}; give at least that, or a smaller "
        "--slice",
        given, base::format_bytes(static_cast<double>(least_bytes_)), needed);
  }

  const binding::RankDevices& devices_;
  const statistics::ReductionSpec& spec_;
  const store::ArraySource& source_;
  const store::ArraySource* with_;
  const job::ReduceJob& job_;
  std::vector<ReduceLane> lanes_;
  std::uint64_t used_bytes_ = 0;
  std::uint64_t least_bytes_ = std::numeric_limits<std::uint64_t>::max();  ///< that a lane needs
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
