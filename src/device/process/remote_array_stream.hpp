// gpu::ArrayStream in the device's process.
#pragma once

#include <set>
#include <vector>

#include "device/gpu/array_stream.hpp"
#include "device/process/remote_queue.hpp"

namespace tessera::device::process {

class RemoteArrayStream : public RemoteQueue<gpu::ArrayStream> {
 public:
  explicit RemoteArrayStream(std::shared_ptr<Supervisor> supervisor);

  void copy_in(std::span<const std::byte> elements, std::size_t at_byte) override;
  void make(const kernels::TsMake& make) override;
  void set_bins(std::span<const double> edges, std::size_t outputs) override;
  void set_logarithms(std::span<const kernels::TS_U64> words) override;
  void set_cells(std::size_t cells, std::size_t limbs) override;
  void launch(const kernels::TsReduce& call, kernels::ReduceKernel kernel,
              std::size_t bytes) override;
  void launch_along_axes(const kernels::TsAxis& call) override;
  void wait() override;
  bool revive() override;
  std::span<const gpu::Record> read_records() override;
  std::span<const gpu::Record> read_cells(std::size_t count) override;
  std::span<const kernels::TS_U64> read_spill() override;
  std::span<const kernels::TS_U64> read_bins() override;

 private:
  void use(kernels::ReduceKernel kernel);
  SharedRegion shared_copy(std::span<const std::byte> elements);
  template <auto kCall, class... Arguments>
  base::ByteReader ask(const Arguments&... arguments);

  std::vector<std::unique_ptr<HostBuffer>> copies_;  ///< of elements outside shared memory
  std::size_t copies_in_use_ = 0;                    ///< until the next answer
  std::set<kernels::ReduceKernel> used_;             ///< since the last answer
  std::vector<gpu::Record> records_;
  std::vector<kernels::TS_U64> spill_;
  std::vector<kernels::TS_U64> bins_;
};

}  // namespace tessera::device::process
