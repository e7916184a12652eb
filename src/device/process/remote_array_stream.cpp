#include "device/process/remote_array_stream.hpp"

#include <set>
#include <vector>

#include "device/process/faults.hpp"
#include "device/process/remote_queue.hpp"

namespace tessera::device::process {
namespace {

class RemoteArrayStream : public RemoteQueue<gpu::ArrayStream> {
 public:
  explicit RemoteArrayStream(std::shared_ptr<Supervisor> supervisor)
      : RemoteQueue(std::move(supervisor), ConnectionKind::arrays) {}

  void copy_in(std::span<const std::byte> elements, std::size_t at_byte) override {
    const auto place = connection().find(elements);
    connection().queue<&gpu::ArrayStream::copy_in>(place ? *place : shared_copy(elements), at_byte);
  }
  void clear(std::size_t at_byte, std::size_t bytes) override {
    connection().queue<&gpu::ArrayStream::clear>(at_byte, bytes);
  }
  void map(const kernels::TsMap& call, std::span<const kernels::TsStep> steps) override {
    used_.insert(number_of(steps));
    connection().queue<&gpu::ArrayStream::map>(call, steps);
  }
  void copy_out(std::size_t at_byte, std::span<std::byte> elements) override {
    const auto place = connection().find(elements);
    if (place) {
      ask<&gpu::ArrayStream::copy_out>(at_byte, *place);
      return;
    }
    const std::span<std::byte> room = shared_room(elements.size());
    ask<&gpu::ArrayStream::copy_out>(at_byte, *connection().find(room));
    std::memcpy(elements.data(), room.data(), room.size());
  }
  void set_bins(std::span<const double> edges, std::size_t outputs) override {
    ask<&gpu::ArrayStream::set_bins>(edges, outputs);
  }
  void set_logarithms(std::span<const kernels::TS_U64> words) override {
    ask<&gpu::ArrayStream::set_logarithms>(words);
  }
  void set_cells(std::size_t cells, std::size_t limbs) override {
    ask<&gpu::ArrayStream::set_cells>(cells, limbs);
  }
  /// A kernel may have to be compiled in the process the first time that it is used.
  void launch(kernels::ArrayKernel kernel, std::size_t blocks,
              std::span<const kernels::TS_U64> arguments) override {
    inject_faults(connection());
    used_.insert(number_of(kernel));
    connection().queue<&gpu::ArrayStream::launch>(kernel, blocks, arguments);
  }
  void flush() override { connection().flush(connection().supervisor().compiling_s(used_)); }
  void wait() override { ask<&gpu::DeviceQueue::wait>(); }
  bool revive() override {
    used_.clear();
    copies_in_use_ = 0;
    return revive_line();
  }
  std::span<const gpu::Record> read_records() override {
    ask<&gpu::ArrayStream::read_records>().read(records_);
    return records_;
  }
  std::span<const gpu::Record> read_cells(std::size_t count) override {
    ask<&gpu::ArrayStream::read_cells>(count).read(records_);
    return records_;
  }
  std::span<const kernels::TS_U64> read_spill() override {
    ask<&gpu::ArrayStream::read_spill>().read(spill_);
    return spill_;
  }
  std::span<const kernels::TS_U64> read_bins() override {
    ask<&gpu::ArrayStream::read_bins>().read(bins_);
    return bins_;
  }

 private:
  SharedRegion shared_copy(std::span<const std::byte> elements) {
    const std::span<std::byte> copy = shared_room(elements.size());
    std::memcpy(copy.data(), elements.data(), elements.size());
    return *connection().find(copy);
  }
  /// Shared memory, until the next answer.
  std::span<std::byte> shared_room(std::size_t bytes) {
    if (copies_in_use_ == copies_.size()) copies_.emplace_back();
    std::unique_ptr<HostBuffer>& copy = copies_[copies_in_use_++];
    if (!copy || copy->bytes().size() < bytes) {
      copy.reset();
      copy = connection().make_buffer(bytes);
    }
    return copy->bytes().first(bytes);
  }
  template <auto kCall, class... Arguments>
  base::ByteReader ask(const Arguments&... arguments) {
    const double compiling_s = connection().supervisor().compiling_s(used_);
    const base::ByteReader answer = connection().ask_within<kCall>(compiling_s, arguments...);
    if (compiling_s > 0) connection().supervisor().note_compiled(used_);
    used_.clear();
    copies_in_use_ = 0;
    return answer;
  }

  std::vector<std::unique_ptr<HostBuffer>> copies_;  ///< copies of elements outside shared memory
  std::size_t copies_in_use_ = 0;                    ///< until the next answer
  std::set<ProgramNumber> used_;                     ///< since the last answer
  std::vector<gpu::Record> records_;
  std::vector<kernels::TS_U64> spill_;
  std::vector<kernels::TS_U64> bins_;
};

}  // namespace

std::unique_ptr<gpu::ArrayStream> open_remote_array_stream(std::shared_ptr<Supervisor> supervisor) {
  return std::make_unique<RemoteArrayStream>(std::move(supervisor));
}

}  // namespace tessera::device::process
