// gpu::ArrayStream in the device's process.
#pragma once

#include <set>
#include <vector>

#include "device/gpu/arrays/stream/array_stream.hpp"
#include "device/process/remote_queue.hpp"

namespace tessera::device::process {

class RemoteArrayStream : public RemoteQueue<gpu::ArrayStream> {
 public:
  explicit RemoteArrayStream(std::shared_ptr<Supervisor> supervisor);

  void copy_in(std::span<const std::byte> elements, std::size_t at_byte) override;
  void clear(std::size_t at_byte, std::size_t bytes) override;
  void map(const kernels::TsMap& call, std::span<const kernels::TsStep> steps) override;
  void copy_out(std::size_t at_byte, std::span<std::byte> elements) override;
  void set_bins(std::span<const double> edges, std::size_t outputs) override;
  void set_logarithms(std::span<const kernels::TS_U64> words) override;
  void set_cells(std::size_t cells, std::size_t limbs) override;
  void launch(kernels::ArrayKernel kernel, std::size_t blocks,
              std::span<const kernels::TS_U64> arguments) override;
  void flush() override;
  void wait() override;
  bool revive() override;
  std::span<const gpu::Record> read_records() override;
  std::span<const gpu::Record> read_cells(std::size_t count) override;
  std::span<const kernels::TS_U64> read_spill() override;
  std::span<const kernels::TS_U64> read_bins() override;

 private:
  SharedRegion shared_copy(std::span<const std::byte> elements);
  /// Shared memory, until the next answer.
  std::span<std::byte> shared_room(std::size_t bytes);
  template <auto kCall, class... Arguments>
  base::ByteReader ask(const Arguments&... arguments);

  std::vector<std::unique_ptr<HostBuffer>> copies_;  ///< copies of elements outside shared memory
  std::size_t copies_in_use_ = 0;                    ///< until the next answer
  std::set<ProgramNumber> used_;                     ///< since the last answer
  std::vector<gpu::Record> records_;
  std::vector<kernels::TS_U64> spill_;
  std::vector<kernels::TS_U64> bins_;
};

}  // namespace tessera::device::process
