// Programs that are compiled at run time: cudaLibraryLoadData() and what belongs to it.
#include "libraries.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "calls.hpp"
#include "kernels.hpp"
#include "settings.hpp"

using namespace cuda_runtime;

#if CUDART_VERSION >= 12080  // where these calls came

/// It is never closed, because launches may be queued.
struct CUlib_st {
  const HostKernel* kernel = nullptr;
};

namespace {

/// Null if the loader refuses it.
void* load(const void* object, std::size_t bytes) {
  std::string path = fmt::format("{}/cuda-program-XXXXXX", P_tmpdir);
  const int file = mkstemp(path.data());
  if (file < 0) report("no room for a program: " + path);
  const bool written = write(file, object, bytes) == static_cast<ssize_t>(bytes);
  close(file);
  void* const handle = written ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  unlink(path.c_str());
  return handle;
}

}  // namespace

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**,
                                unsigned jit_options, cudaLibraryOption*, void**,
                                unsigned library_options) {
  return device_call("cudaLibraryLoadData", [&]() -> cudaError_t {
    if (jit_options + library_options != 0) report("options of cudaLibraryLoadData are not known");
    ProgramHead head;
    std::memcpy(&head, code, sizeof(head));
    if (head.magic != ProgramHead::kMagic) return cudaErrorInvalidKernelImage;
    if (head.architecture != 10 * settings().major + settings().minor) {
      return cudaErrorNoKernelImageForDevice;
    }
    void* const object = load(static_cast<const std::byte*>(code) + sizeof(head), head.bytes);
    void* const function = object == nullptr ? nullptr : dlsym(object, kKernelFunction);
    if (function == nullptr) return cudaErrorInvalidKernelImage;
    *library = new CUlib_st{reinterpret_cast<const HostKernel* (*)()>(function)()};
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  return device_call("cudaLibraryGetKernel", [&]() -> cudaError_t {
    if (library->kernel->name != name) return cudaErrorSymbolNotFound;
    register_kernel(library->kernel, library->kernel);
    *kernel = reinterpret_cast<cudaKernel_t>(const_cast<HostKernel*>(library->kernel));
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return device_call("cudaLibraryUnload", [&] {
    unregister_kernel(library->kernel);
    delete library;
    return cudaSuccess;
  });
}

#endif
