// An NVIDIA GPU as its management library (NVML) tells of it.
#pragma once

#include <memory>
#include <string>

#include "base/meter.hpp"

namespace tessera::device::process {

/// In the process that drives a GPU, never in a rank. The library comes with the driver and is
/// loaded here; where it, the GPU or a function of it is missing, nothing is told.
class NvmlMeter : public base::Meter {
 public:
  /// `pci`: "0000:17:00.0".
  explicit NvmlMeter(const std::string& pci);
  ~NvmlMeter() override;
  NvmlMeter(const NvmlMeter&) = delete;
  NvmlMeter& operator=(const NvmlMeter&) = delete;

  base::Reading read() override;

 private:
  struct Api;
  std::unique_ptr<const Api> api_;  ///< null if there is nothing to ask
};

}  // namespace tessera::device::process
