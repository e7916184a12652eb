#include "device/cuda/check.hpp"

#include <algorithm>
#include <array>

namespace tessera::device::cuda {
namespace {

/// As numbers, because older toolkits do not name all of them.
constexpr std::array kEndOfContext = {
    214,                           // uncorrectable ECC error
    220,                           // uncorrectable NVLink error
    226,                           // contained hardware error
    700,                           // illegal address
    702,                           // launch timeout
    709,                           // the context is destroyed
    710,                           // assert
    714, 715, 716, 717, 718, 719,  // stack, instruction, alignment, space, counter, launch failure
    721,                           // tensor memory leak
    810,                           // MPS client terminated
    911,                           // external device
};

/// Any other error is harmless if the device still answers.
bool is_context_lost(cudaError_t code) {
  if (ends_context(code)) return true;
  if (is_busy(code)) return false;
  const cudaError_t now = cudaStreamQuery(nullptr);
  return now != cudaSuccess && now != cudaErrorNotReady;
}

std::string describe_failure(cudaError_t code, std::string_view call, std::string_view work) {
  if (!ends_context(code) || work == call) return fmt::format("{}: {}", call, text_of(code));
  return fmt::format("{}: {}, reported by {}", work.empty() ? "work of another lane" : work,
                     text_of(code), call);
}

}  // namespace

std::string text_of(cudaError_t code) {
  return fmt::format("{} ({})", cudaGetErrorString(code), cudaGetErrorName(code));
}

bool ends_context(cudaError_t code) {
  return std::ranges::find(kEndOfContext, static_cast<int>(code)) != kEndOfContext.end();
}

bool is_busy(cudaError_t code) {
  return code == cudaErrorMemoryAllocation || code == cudaErrorDevicesUnavailable;
}

void fail(cudaError_t code, std::string_view call, std::string_view work) {
  cudaGetLastError();  // an error from which the caller may recover, such as too little memory
  const std::string what = describe_failure(code, call, work);
  const bool lost = is_context_lost(code);
  cudaGetLastError();
  if (lost) throw ContextLostError(what + "; the context is lost");
  if (is_busy(code)) throw DeviceBusyError(what);
  throw DeviceError(what);
}

}  // namespace tessera::device::cuda
