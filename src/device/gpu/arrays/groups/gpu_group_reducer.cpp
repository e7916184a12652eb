#include "device/gpu/arrays/groups/gpu_group_reducer.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "device/gpu/arrays/groups/group_cells.hpp"
#include "device/gpu/arrays/groups/group_search.hpp"
#include "device/gpu/arrays/stream/reducer_on_queue.hpp"
#include "device/groups/found_groups.hpp"
#include "statistics/each_element.hpp"

namespace tessera::device::gpu {
namespace {

using statistics::GroupKey;

/// Elements of a batch, which hide the latency of launches and copies.
// crossed by: of_so_many_groups_that_elements_wait, group_parity_test.of_every_type
constexpr std::size_t kMaxBatch = std::size_t{1} << 18;
// crossed by: test_more_groups_than_the_device_holds, of_so_many_groups_that_elements_wait
constexpr std::size_t kMaxCellBytes = std::size_t{128} << 20;
/// Counts of a cell have 32 bits, and limbs have room for 2^31 terms.
// not crossed: 2^30 elements take too long
constexpr std::size_t kMaxAdded = std::size_t{1} << 30;
/// So few groups have several cells.
// crossed by: of_so_many_groups_that_elements_wait, group_parity_test.of_every_type
constexpr std::size_t kSpreadCells = std::size_t{1} << 16;
constexpr std::size_t kMaxCopies = 32;
/// Elements that are searched at a time.
// crossed by: of_tallies_of_large_groups
constexpr std::size_t kMaxSearched = std::size_t{1} << 16;
/// Bytes of cells that are read at a time.
// crossed by: test_more_groups_than_the_device_holds, of_so_many_groups_that_elements_wait
constexpr std::size_t kReadBytes = std::size_t{1} << 20;
/// Groups that a block of keys may add.
// crossed by: test_more_groups_than_the_device_holds, of_so_many_groups_that_elements_wait
constexpr std::size_t kSpareGroups = 2 * FoundGroups::kMaxKeys;

class GpuGroupReducer : public ReducerOnQueue<GroupReducer> {
 public:
  GpuGroupReducer(std::unique_ptr<ArrayStream> stream, const statistics::GroupSpec& group_spec,
                  std::size_t max_bytes)
      : ReducerOnQueue(std::move(stream), max_bytes),
        group_spec_(group_spec),
        layout_(cell_layout(group_spec.spec)),
        element_bytes_(base::element_bytes(group_spec.spec.type)),
        found_(group_spec.spec) {}

  void begin(const GroupScope& scope) override {
    clear_cells();  // of an abandoned item
    make_batch(std::clamp(scope.max_waiting, FoundGroups::kMaxKeys, kMaxBatch));
    GroupScope possible = scope;
    if (!make_cells(scope.dense_count + kSpareGroups)) possible.dense_count = 0;
    found_.begin(possible);
  }
  std::size_t add(std::span<const GroupKey> keys, std::span<const std::byte> elements,
                  std::span<const std::int64_t> places) override {
    std::size_t added = 0;
    while (added < keys.size() && !found_.is_full() && has_cells()) {
      const std::size_t count = std::min(FoundGroups::kMaxKeys, keys.size() - added);
      add_block(keys.subspan(added, count),
                elements.subspan(added * element_bytes_, count * element_bytes_),
                places.empty() ? places : places.subspan(added, count));
      added += count;
    }
    return added;
  }
  statistics::GroupPartials finish() override {
    drain();
    return found_.finish();
  }
  bool begin_tally(const statistics::GroupRequest& request) override {
    batch_.count = cells_for_ = used_ = added_ = 0;  // the search overwrites the cells
    search_.reset();
    const bool counts_values =
        std::ranges::any_of(request.requests, &statistics::KeyRequest::values);
    if (request.large.empty() || counts_values) return false;
    search_.emplace(group_spec_.spec.type, request, kMaxSearched);
    if (search_->bytes() <= kMaxCellBytes) grow_towards(search_->bytes());
    const bool has_room = search_->bytes() <= std::min(kMaxCellBytes, stream_->capacity());
    if (has_room) search_->begin(*stream_);
    return has_room;
  }
  void tally(std::span<const GroupKey> keys, std::span<const std::byte> elements,
             std::span<const std::int64_t> places, statistics::GroupTally& to) override {
    for (std::size_t first = 0; first < keys.size(); first += kMaxSearched) {
      const std::size_t count = std::min(kMaxSearched, keys.size() - first);
      settled(*stream_, [&] {
        reach(0);
        search_->add(*stream_, keys.subspan(first, count),
                     elements.subspan(first * element_bytes_, count * element_bytes_),
                     places.subspan(first, count), to);
      });
    }
  }
  void end_tally(statistics::GroupTally& to) override {
    settled(*stream_, [&] { search_->end(*stream_, to); });
  }

 private:
  void prepare_stream() override { batch_.count = cells_for_ = used_ = added_ = 0; }

  /// Elements with the numbers of their groups, to be copied to the device together.
  struct Batch {
    std::size_t room = 0;
    std::size_t count = 0;
    std::size_t outside = 0;  ///< elements of these outside of the window
    std::span<std::uint32_t> groups;
    std::span<std::byte> elements;
    std::span<std::int64_t> places;
    std::unique_ptr<HostBuffer> memory;
  };

  std::size_t bytes_each() const {
    return sizeof(std::uint32_t) + element_bytes_ +
           (group_spec_.spec.places ? sizeof(std::int64_t) : 0);
  }
  void make_batch(std::size_t room) {
    batch_.count = batch_.outside = 0;
    if (batch_.room == room) return;
    batch_.room = room;
    batch_.memory = make_host_buffer(room * bytes_each());
    std::byte* at = batch_.memory->bytes().data();
    const std::size_t places = group_spec_.spec.places ? room : 0;
    batch_.places = {reinterpret_cast<std::int64_t*>(at), places};
    at += batch_.places.size_bytes();
    batch_.elements = {at, room * element_bytes_};
    at += batch_.elements.size();
    batch_.groups = {reinterpret_cast<std::uint32_t*>(at), room};
  }
  void add_block(std::span<const GroupKey> keys, std::span<const std::byte> elements,
                 std::span<const std::int64_t> places) {
    const std::size_t kept = found_.choose(keys, chosen_.data(), groups_.data());
    if (batch_.count + kept > std::min(batch_.room, device_room_)) flush();
    for (std::size_t i = 0; i < kept; ++i, ++batch_.count) {
      batch_.groups[batch_.count] = groups_[i];
      std::memcpy(&batch_.elements[batch_.count * element_bytes_],
                  &elements[chosen_[i] * element_bytes_], element_bytes_);
      if (group_spec_.spec.places) batch_.places[batch_.count] = places[chosen_[i]];
    }
    if (!base::is_floating(group_spec_.spec.type) || !group_spec_.spec.has_sums()) return;
    const std::size_t from = (batch_.count - kept) * element_bytes_;
    statistics::for_each_real(
        batch_.elements.subspan(from, kept * element_bytes_), group_spec_.spec.type,
        [&](double x) { batch_.outside += group_spec_.window.count_outside(std::span(&x, 1)); });
    if (!found_.may_defer(batch_.outside)) flush();
  }
  /// Whether there are cells for the groups of another block.
  bool has_cells() {
    const std::size_t most = found_.count() + FoundGroups::kMaxKeys;
    if (most <= cells_for_) return true;
    make_cells(2 * found_.count() + kSpareGroups);
    return most <= cells_for_;
  }
  /// False if the device has no memory for that.
  bool make_cells(std::size_t groups) {
    if (groups <= cells_for_) return true;
    drain();
    const std::size_t most = std::max(kSpareGroups, kMaxCellBytes / layout_.bytes());
    const std::size_t requested = std::min(groups, most);
    copies_ = std::clamp<std::size_t>(kSpreadCells / requested, 1, kMaxCopies);
    const std::size_t batch_bytes = aligned(batch_.room * bytes_each());
    grow_towards(TS_VECTOR_BYTES + batch_bytes + requested * copies_ * layout_.bytes());
    device_room_ = std::min(batch_.room, stream_->capacity() / 4 / bytes_each());
    cells_at_ = TS_VECTOR_BYTES + aligned(device_room_ * bytes_each() + 2 * TS_VECTOR_BYTES);
    const std::size_t cells = (stream_->capacity() - cells_at_) / layout_.bytes();
    copies_ = std::clamp<std::size_t>(cells / requested, 1, copies_);
    cells_for_ = std::min(requested, cells / copies_);
    stream_->clear(0, TS_VECTOR_BYTES);
    stream_->clear(cells_at_, cells_for_ * copies_ * layout_.bytes());
    return groups <= cells_for_;
  }
  /// Reduces the batch.
  void flush() {
    if (batch_.count == 0) return;
    used_ = std::max(used_, std::min(found_.count(), cells_for_));
    kernels::TS_U32 outside = 0;
    settled(*stream_, [&] {
      reach(0);
      launch();
      stream_->copy_out(0, std::as_writable_bytes(std::span(&outside, 1)));
      if (outside > 0) stream_->clear(0, TS_VECTOR_BYTES);
    });
    if (outside > 0) {
      add_outside(batch_.groups.first(batch_.count),
                  batch_.elements.first(batch_.count * element_bytes_), group_spec_,
                  found_.partials());
    }
    added_ += batch_.count;
    batch_.count = batch_.outside = 0;
    if (added_ > kMaxAdded) drain();
  }
  /// Returns at once.
  void launch() {
    const statistics::ReductionSpec& spec = group_spec_.spec;
    kernels::TsGroups call{};
    call.elements = batch_.count;
    call.places_at = TS_VECTOR_BYTES;
    call.elements_at = aligned(call.places_at + batch_.count * sizeof(std::int64_t) *
                                                    static_cast<std::size_t>(spec.places));
    call.groups_at = aligned(call.elements_at + batch_.count * element_bytes_);
    call.cells_at = cells_at_;
    call.type = type_of(spec.type);
    call.flags = flags_of(spec);
    call.copies = static_cast<std::uint32_t>(copies_);
    call.cell_words = layout_.words;
    call.sum_word = layout_.sum;
    call.absolute_word = layout_.absolute;
    call.squares_word = layout_.squares;
    call.order_word = layout_.order;
    call.window_first = static_cast<std::uint32_t>(group_spec_.window.first);
    call.window_count = static_cast<std::uint32_t>(group_spec_.window.count);
    if (spec.places) {
      stream_->copy_in(std::as_bytes(batch_.places.first(batch_.count)), call.places_at);
    }
    stream_->copy_in(batch_.elements.first(batch_.count * element_bytes_), call.elements_at);
    stream_->copy_in(std::as_bytes(batch_.groups.first(batch_.count)), call.groups_at);
    const bool ordered = spec.extremes || spec.places;
    const std::uint32_t phases = spec.places ? TS_GROUPS_KEEP : ordered ? TS_GROUPS_PLACES : 1;
    const auto enqueue = [&] {
      stream_->enqueue(kernels::ArrayKernel::groups, blocks_of_elements(call.elements), call);
    };
    for (; call.phase < phases; ++call.phase) enqueue();
    call.phase = TS_GROUPS_KEEP;
    call.elements = used_ * copies_;
    if (ordered) enqueue();
  }
  /// Adds the cells to the partial results, and clears them.
  void drain() {
    flush();
    if (used_ == 0) return;
    statistics::GroupPartials& all = found_.partials();
    const std::size_t words = copies_ * layout_.words;
    const std::size_t at_once = std::max<std::size_t>(1, kReadBytes / (words * sizeof read_[0]));
    for (std::size_t first = 0; first < used_; first += at_once) {
      read_.resize(std::min(at_once, used_ - first) * words);
      stream_->copy_out(cells_at_ + first * words * sizeof read_[0],
                        std::as_writable_bytes(std::span(read_)));
      for (std::size_t cell = 0; cell < read_.size() / layout_.words; ++cell) {
        add_cell(std::span(read_).subspan(cell * layout_.words, layout_.words), layout_,
                 group_spec_.spec, first + cell / copies_, all);
      }
    }
    clear_cells();
  }
  void clear_cells() {
    if (used_ > 0) stream_->clear(cells_at_, used_ * copies_ * layout_.bytes());
    used_ = added_ = 0;
  }

  statistics::GroupSpec group_spec_;
  CellLayout layout_;
  std::size_t element_bytes_;
  FoundGroups found_;
  Batch batch_;
  // In the memory of the stream: the count of terms outside, the batch, the cells.
  std::size_t device_room_ = 0;        ///< elements of a batch
  std::size_t cells_at_ = 0;           ///< byte
  std::size_t cells_for_ = 0;          ///< groups
  std::size_t copies_ = 1;             ///< cells of a group
  std::size_t used_ = 0;               ///< groups whose cells may not be 0
  std::size_t added_ = 0;              ///< elements in the cells
  std::optional<GroupSearch> search_;  ///< uses all of the memory
  std::vector<kernels::TS_U32> read_;
  std::array<std::uint16_t, FoundGroups::kMaxKeys> chosen_{};
  std::array<std::uint32_t, FoundGroups::kMaxKeys> groups_{};
};

}  // namespace

std::unique_ptr<GroupReducer> make_gpu_group_reducer(std::unique_ptr<ArrayStream> stream,
                                                     const statistics::GroupSpec& group_spec,
                                                     std::size_t max_bytes) {
  return std::make_unique<GpuGroupReducer>(std::move(stream), group_spec, max_bytes);
}

}  // namespace tessera::device::gpu
