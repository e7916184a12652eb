#include "run/reduce_work.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "device/registry.hpp"
#include "run/lanes.hpp"

namespace tessera::run {
namespace {

/// Resident before the first slice, under Open MPI 4.1.
constexpr std::uint64_t kProgramBytes = std::uint64_t{64} << 20;
constexpr std::int64_t kMostPieceBytes = std::int64_t{1} << 20;

/// The list as open_devices takes it, `auto` being the cores; refuses others before a GPU is
/// opened.
std::string devices_of(std::string_view list) {
  std::vector<std::string> names;
  for (const device::Wanted& wanted : device::parse_device_list(list)) {
    if (wanted.kind == device::Wanted::Kind::automatic) {
      names.emplace_back(device::kCores);
      continue;
    }
    const std::string name = wanted.name.substr(0, wanted.name.find(':'));
    const auto backends = device::backends();
    const auto backend = std::ranges::find(backends, name, &device::Backend::name);
    if (backend == backends.end() || !backend->cores) {
      throw base::usage_error("--device {}: reduce runs on cpu and reference", wanted.name);
    }
    names.push_back(wanted.name);
  }
  return base::join(names);
}

/// How many lanes with a buffer of `bytes` each.
int lanes_that_fit(const job::ReduceJob& job, std::uint64_t bytes, int wanted) {
  const std::uint64_t least = kProgramBytes + bytes;
  if (least > job.memory_bytes) {
    throw base::usage_error(
        "--memory {}: {} at a time on one thread needs {}; give at least that, or a smaller "
        "--slice",
        base::format_bytes(static_cast<double>(job.memory_bytes)),
        base::format_bytes(static_cast<double>(bytes)),
        base::format_bytes(static_cast<double>(least)));
  }
  const std::uint64_t fit = (job.memory_bytes - kProgramBytes) / std::max<std::uint64_t>(bytes, 1);
  return static_cast<int>(std::min<std::uint64_t>(fit, static_cast<std::uint64_t>(wanted)));
}

}  // namespace

std::int64_t piece_bytes(const job::ReduceJob& job) {
  return std::min(kMostPieceBytes, static_cast<std::int64_t>(job.slice_bytes));
}

class ReduceTask : public Task {
 public:
  ReduceTask(ReduceWork& work, std::int64_t slice) : work_(work), slice_(slice) {}
  int parts() const override { return 1; }
  void run_part(int, int lane) override { result_ = work_.reduce(slice_, lane); }
  void finish(int, const Emit& emit) override {
    base::ByteWriter body;
    body.put(result_.partial).put_bytes(std::as_bytes(std::span(result_.histogram)));
    emit({.item = slice_, .body = body.take()});
  }

 private:
  ReduceWork& work_;
  std::int64_t slice_;
  SliceResult result_;
};

ReduceWork::ReduceWork(const store::ArraySource& source, ReduceGoal goal, const job::ReduceJob& job,
                       const comm::World& world)
    : source_(source),
      goal_(std::move(goal)),
      element_bytes_(base::element_bytes(source.info().type)) {
  const plan::ArrayPieces& pieces = source.pieces();
  const std::int64_t largest_bytes =
      pieces.most_elements() * static_cast<std::int64_t>(element_bytes_);
  slices_ = {
      .pieces = pieces.count(),
      .pieces_per_slice = std::max<std::int64_t>(1, static_cast<std::int64_t>(job.slice_bytes) /
                                                        std::max<std::int64_t>(1, largest_bytes))};
  for (const auto& device :
       device::open_devices(devices_of(job.device), place_of(world, job.threads))) {
    devices_ += (devices_.empty() ? "" : "+") + device->info().name;
    for (int i = 0; i < device->lanes(); ++i) {
      lanes_.push_back({.reducer = device->open_reducer(goal_.spec)});
    }
  }
  std::uint64_t lane_bytes = PieceReader::memory_bytes(source);
  if (goal_.with != nullptr) lane_bytes += PairReader::memory_bytes(source, *goal_.with);
  lanes_.resize(
      static_cast<std::size_t>(lanes_that_fit(job, lane_bytes, static_cast<int>(lanes_.size()))));
  for (ReduceLane& lane : lanes_) {
    lane.reader = std::make_unique<PieceReader>(source);
    if (goal_.with != nullptr) lane.pairs = std::make_unique<PairReader>(source, *goal_.with);
  }
}

std::vector<float> ReduceWork::costs() const {
  return std::vector<float>(static_cast<std::size_t>(slices_.count()), 1.0F);
}

std::unique_ptr<Task> ReduceWork::begin(std::int64_t item, int) {
  return std::make_unique<ReduceTask>(*this, item);
}

SliceResult ReduceWork::reduce(std::int64_t slice, int lane) {
  SliceResult result;
  if (goal_.bins) result.histogram.resize(goal_.bins->count());
  ReduceLane& mine = lanes_[static_cast<std::size_t>(lane)];
  const plan::ArrayPieces& pieces = source_.pieces();
  const std::int64_t end = std::min(slices_.first(slice + 1), slices_.pieces);
  for (std::int64_t piece = slices_.first(slice); piece < end; ++piece) {
    std::span<const std::byte> bytes;
    {
      const base::Stopwatch reading(mine.read_s);
      bytes = mine.reader->read(piece);
    }
    const device::Indexing indexing{
        .of = [&pieces, piece](std::int64_t element) { return pieces.index(piece, element); },
        .in_order = pieces.in_order()};
    if (goal_.partial) mine.reducer->reduce(bytes, indexing, result.partial);
    if (goal_.partial && mine.pairs) add_pairs(piece, bytes, mine, result.partial);
    if (goal_.bins) mine.reducer->count(bytes, *goal_.bins, result.histogram);
    mine.elements += pieces.elements(piece);
  }
  ++mine.slices;
  return result;
}

void ReduceWork::add_pairs(std::int64_t piece, std::span<const std::byte> elements,
                           ReduceLane& lane, device::Partial& partial) const {
  auto last = base::Clock::now();
  lane.pairs->read(piece, elements,
                   [&](std::span<const std::byte> x, std::span<const std::byte> y) {
                     lane.read_s += base::seconds_between(last, base::Clock::now());
                     lane.reducer->add_pairs(x, y, goal_.spec, partial.pairs);
                     last = base::Clock::now();
                   });
}

report::ReduceRank ReduceWork::report(const std::vector<report::ThreadReport>& threads) const {
  report::ReduceRank rank{.device = devices_, .workers = lanes()};
  for (const report::ThreadReport& thread : threads) {
    if (!thread.worker) continue;
    rank.reduce_s += thread.seconds[static_cast<std::size_t>(report::Stage::compute)];
    rank.wait_s += thread.seconds[static_cast<std::size_t>(report::Stage::wait)];
  }
  for (const ReduceLane& lane : lanes_) {
    rank.slices += lane.slices;
    rank.elements += lane.elements;
    rank.read_s += lane.read_s;
  }
  rank.reduce_s = std::max(0.0, rank.reduce_s - rank.read_s);
  rank.bytes = static_cast<std::uint64_t>(rank.elements) * element_bytes_;
  if (goal_.with != nullptr) {
    rank.bytes +=
        static_cast<std::uint64_t>(rank.elements) * base::element_bytes(goal_.with->info().type);
  }
  return rank;
}

void ReduceSink::put(Parcel parcel) {
  base::ByteReader body(parcel.body);
  all_.partial.merge(body.get<device::Partial>());
  for (std::size_t bin = 0; !body.empty(); ++bin) {
    if (bin == all_.histogram.size()) all_.histogram.push_back(0);
    all_.histogram[bin] += body.get<std::int64_t>();
  }
}

}  // namespace tessera::run
