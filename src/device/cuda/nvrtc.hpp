// NVRTC, CUDA's compiler as a library. It is loaded when it is first needed, and nothing else needs
// it. Its few functions are declared here, because toolkits are installed without its header, too.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace tessera::device::cuda {

struct NvrtcProgram;

#define TESSERA_NVRTC_FUNCTIONS(X)                                                                 \
  X(nvrtcVersion, int* major, int* minor)                                                          \
  X(nvrtcCreateProgram, NvrtcProgram** program, const char* source, const char* name, int headers, \
    const char* const* header_texts, const char* const* header_names)                              \
  X(nvrtcCompileProgram, NvrtcProgram* program, int options, const char* const* option_texts)      \
  X(nvrtcGetProgramLogSize, NvrtcProgram* program, std::size_t* bytes)                             \
  X(nvrtcGetProgramLog, NvrtcProgram* program, char* log)                                          \
  X(nvrtcGetCUBINSize, NvrtcProgram* program, std::size_t* bytes)                                  \
  X(nvrtcGetCUBIN, NvrtcProgram* program, char* cubin)                                             \
  X(nvrtcDestroyProgram, NvrtcProgram** program)

class Nvrtc {
 public:
  /// Loads the library that TESSERA_NVRTC names, or else the first one that the loader or a usual
  /// folder of a toolkit has, that of this build's CUDA before others. Throws DeviceError if there
  /// is none, or if TESSERA_NVRTC is "off".
  Nvrtc();

  /// "NVRTC 13.0"
  const std::string& name() const { return name_; }
  /// Machine code of a program. Throws DeviceError with the name of the call, and the start of the
  /// compiler's log. Any number of threads may compile.
  std::vector<unsigned char> compile(const std::string& source,
                                     std::span<const std::string> options) const;

 private:
  bool load(const std::string& library);

#define TESSERA_NVRTC_MEMBER(function, ...) int (*function)(__VA_ARGS__) = nullptr;
  TESSERA_NVRTC_FUNCTIONS(TESSERA_NVRTC_MEMBER)
#undef TESSERA_NVRTC_MEMBER
  // NOLINTNEXTLINE(readability-identifier-naming): the name is the library's, as those above
  const char* (*nvrtcGetErrorString)(int code) = nullptr;
  std::string name_;
};

}  // namespace tessera::device::cuda
