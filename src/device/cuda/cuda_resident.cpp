#include "device/cuda/cuda_resident.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/idle_objects.hpp"
#include "device/cuda/memory.hpp"

namespace tessera::device::cuda {
namespace {

/// The device of the calling thread, which is the calling program's, is as before when this ends.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    check(cudaGetDevice(&before_), "cudaGetDevice");
    if (before_ != device) check(cudaSetDevice(device), "cudaSetDevice");
    changed_ = before_ != device;
  }
  ~OnDevice() {
    if (changed_) cudaSetDevice(before_);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
  bool changed_ = false;
};

/// Copies rows to the host. The driver copies to ordinary memory at a tenth of the speed of the
/// bus.
class RowCopier {
 public:
  RowCopier(int device, std::size_t max_pitch) : stream_(device), max_pitch_(max_pitch) {}

  void copy(const std::byte* from, std::size_t pitch, std::size_t width, std::size_t rows,
            std::byte* to) {
    if (pitch == width || rows == 1) {
      copy_run(from, width * rows, to);
    } else if (width > kBytes) {
      for (std::size_t row = 0; row < rows; ++row) {
        copy_run(from + row * pitch, width, to + row * width);
      }
    } else {
      const std::size_t most = kBytes / width;
      for (std::size_t row = 0; row < rows; row += most) {
        const std::size_t some = std::min(most, rows - row);
        stage(some * width, to + row * width, [&](std::byte* staged) {
          start_rows(from + row * pitch, pitch, width, some, staged);
        });
      }
    }
  }
  /// After an error: the copies end before their target does.
  void settle() const noexcept { stream_.settle(); }

 private:
  // crossed by: of_more_than_the_memory_for_copies
  static constexpr std::size_t kBytes = std::size_t{1} << 20;
  static constexpr std::string_view kCopy = "copy from the memory of the calling program";

  void copy_run(const std::byte* from, std::size_t bytes, std::byte* to) {
    for (std::size_t at = 0; at < bytes; at += kBytes) {
      const std::size_t some = std::min(kBytes, bytes - at);
      stage(some, to + at, [&](std::byte* staged) {
        check(cudaMemcpyAsync(staged, from + at, some, cudaMemcpyDeviceToHost, stream_.get()),
              kCopy);
      });
    }
  }
  void start_rows(const std::byte* from, std::size_t pitch, std::size_t width, std::size_t rows,
                  std::byte* to) {
    if (pitch > width && pitch <= max_pitch_) {
      check(cudaMemcpy2DAsync(to, width, from, pitch, width, rows, cudaMemcpyDeviceToHost,
                              stream_.get()),
            kCopy);
      return;
    }
    for (std::size_t row = 0; row < rows; ++row) {
      check(cudaMemcpyAsync(to + row * width, from + row * pitch, width, cudaMemcpyDeviceToHost,
                            stream_.get()),
            kCopy);
    }
  }
  template <class Start>
  void stage(std::size_t bytes, std::byte* to, const Start& start) {
    start(staged_.bytes().data());
    stream_.wait(kCopy);
    std::memcpy(to, staged_.bytes().data(), bytes);
  }

  WaitableStream stream_;
  std::size_t max_pitch_;  ///< of cudaMemcpy2DAsync
  PinnedBuffer staged_{kBytes};
};

class CudaResident : public ResidentMemory {
 public:
  CudaResident(int device, std::size_t max_pitch)
      : device_(device), max_pitch_(max_pitch), name_(fmt::format("cuda:{}", device)) {}

  const std::string& device() const override { return name_; }
  std::shared_ptr<void> hold() const override { return std::make_shared<OnDevice>(device_); }
  void copy_rows(const std::byte* from, std::size_t pitch_bytes, std::size_t row_bytes,
                 std::size_t rows, std::byte* to) const override {
    const OnDevice here(device_);
    copiers_.lend([&](RowCopier& copier) {
      try {
        copier.copy(from, pitch_bytes, row_bytes, rows, to);
      } catch (...) {
        copier.settle();
        throw;
      }
    });
  }

 private:
  int device_;
  std::size_t max_pitch_;
  std::string name_;
  mutable base::IdleObjects<RowCopier> copiers_{
      [this] { return std::make_unique<RowCopier>(device_, max_pitch_); }};
};

}  // namespace

std::unique_ptr<ResidentMemory> resident_at(const std::byte* address, void* stream) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();
    throw base::usage_error("an array of CUDA: this process sees no GPU of CUDA");
  }
  cudaPointerAttributes found{};
  const cudaError_t code = cudaPointerGetAttributes(&found, address);
  if (code != cudaSuccess) cudaGetLastError();
  if (code != cudaSuccess ||
      (found.type != cudaMemoryTypeDevice && found.type != cudaMemoryTypeManaged)) {
    throw base::usage_error("an array of CUDA: no memory of a GPU begins at its address");
  }
  const OnDevice here(found.device);
  if (stream != nullptr) {
    check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "cudaStreamSynchronize");
  }
  int max_pitch = 0;
  check(cudaDeviceGetAttribute(&max_pitch, cudaDevAttrMaxPitch, found.device),
        "cudaDeviceGetAttribute");
  return std::make_unique<CudaResident>(found.device, static_cast<std::size_t>(max_pitch));
}

}  // namespace tessera::device::cuda
