#include "device/cuda/program.hpp"

#include "device/gpu/arrays/array_stream.hpp"
#include "device/gpu/arrays/expression_source.hpp"
#include "device/gpu/program_cache.hpp"

namespace tessera::device::cuda {
namespace {

int architecture_of(int device) {
  int major = 0;
  int minor = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
        "cudaDeviceGetAttribute");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device),
        "cudaDeviceGetAttribute");
  return 10 * major + minor;
}

}  // namespace

std::string program_source(std::span<const kernels::TsStep> steps,
                           std::span<const kernels::TsMapResult> results) {
  return kExpressionSource + gpu::expression_kernel(steps, results);
}

std::vector<std::string> compiler_options(int architecture) {
  return {fmt::format("--gpu-architecture=sm_{}", architecture),
          "--std=c++17",
          "--fmad=false",
          "--ftz=false",
          "--prec-div=true",
          "--prec-sqrt=true",
          "--disable-warnings"};
}

ExpressionPrograms::~ExpressionPrograms() {
  if (known_.empty()) return;
  cudaSetDevice(device_);
  known_.clear();
  cudaGetLastError();  // of a context that is lost
}

const void* ExpressionPrograms::find(std::span<const kernels::TsStep> steps,
                                     std::span<const kernels::TsMapResult> results) {
  const std::string key = gpu::expression_key(steps, results);
  const Nvrtc* compiler = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    const auto [known, is_new] = known_.try_emplace(key);
    if (!is_new) return known->second.kernel;
    compiler = nvrtc();
  }
  if (compiler == nullptr) return nullptr;
  try {
    Loaded built = build(*compiler, program_source(steps, results));
    const std::scoped_lock lock(mutex_);
    return (known_[key] = std::move(built)).kernel;
  } catch (const ContextLostError&) {
    throw;
  } catch (const DeviceError& error) {
    const std::scoped_lock lock(mutex_);
    failure_ = error.what();
    return nullptr;
  }
}

std::string ExpressionPrograms::compiler() {
  const std::scoped_lock lock(mutex_);
  const Nvrtc* const found = nvrtc();
  if (found == nullptr) return "none: " + failure_;
  return failure_.empty() ? found->name()
                          : fmt::format("{}, which failed: {}", found->name(), failure_);
}

const Nvrtc* ExpressionPrograms::nvrtc() {
  if (nvrtc_ || !failure_.empty()) return nvrtc_ ? &*nvrtc_ : nullptr;
#if CUDART_VERSION >= 12080
  try {
    return &nvrtc_.emplace();
  } catch (const DeviceError& error) {
    failure_ = error.what();
  }
#else
  failure_ = "this build has a CUDA before 12.8, which loads no programs";
#endif
  return nullptr;
}

ExpressionPrograms::Loaded ExpressionPrograms::build(const Nvrtc& nvrtc,
                                                     const std::string& source) const {
  const std::vector<std::string> options = compiler_options(architecture_of(device_));
  const gpu::ProgramCache cache(
      gpu::cache_folder(), "cuda",
      fmt::format("{}\n{}\n{}", nvrtc.name(), fmt::join(options, " "), source));
  if (const auto code = cache.load()) {
    try {
      return load(*code);
    } catch (const ContextLostError&) {
      throw;
    } catch (const DeviceError&) {  // the driver refuses it: it is compiled again
    }
  }
  const std::vector<unsigned char> code = nvrtc.compile(source, options);
  Loaded loaded = load(code);
  cache.save(code);
  return loaded;
}

/// The kernel is loaded as a whole, so that a lack of memory for it shows here.
ExpressionPrograms::Loaded ExpressionPrograms::load(const std::vector<unsigned char>& code) {
  Loaded loaded;
#if CUDART_VERSION >= 12080
  cudaLibrary_t library = nullptr;
  check(cudaLibraryLoadData(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
        "cudaLibraryLoadData");
  loaded.library = std::shared_ptr<void>(library, [](void* loaded_before) {
    cudaLibraryUnload(static_cast<cudaLibrary_t>(loaded_before));
  });
  cudaKernel_t kernel = nullptr;
  check(cudaLibraryGetKernel(&kernel, library, "ts_map"), "cudaLibraryGetKernel");
  loaded.kernel = reinterpret_cast<const void*>(kernel);
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, loaded.kernel), "loading the kernel of an expression");
#else
  static_cast<void>(code);
#endif
  return loaded;
}

void launch_expression(const void* kernel, const kernels::TsMap& call, std::byte* memory,
                       cudaStream_t stream) {
  kernels::TsMap copied = call;
  void* arguments[] = {&copied, static_cast<void*>(&memory)};
  cudaLaunchKernel(kernel, dim3(static_cast<unsigned>(gpu::groups_of(call))), dim3(TS_REDUCE_GROUP),
                   static_cast<void**>(arguments), 0, stream);
}

}  // namespace tessera::device::cuda
