// An NVRTC for tests, as a shared library: it compiles CUDA C++ for this machine with the compiler
// that built it. The result is what the CUDA runtime for tests loads (libraries.hpp). Without the
// options that keep the bits, it compiles code that has others.
#include "device/cuda/nvrtc.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include "libraries.hpp"
#include "settings.hpp"

namespace {

using cuda_runtime::ProgramHead;

constexpr int kSuccess = 0, kCompilation = 6, kInvalidOption = 5;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

constexpr std::string_view kBefore =
    "#include \"tests/cuda_runtime/words.hpp\"\n#include \"tests/cuda_runtime/kernels.hpp\"\n";
constexpr std::string_view kAfter =
    "\nextern \"C\" const cuda_runtime::HostKernel* cuda_runtime_kernel() {\n"
    "  static const cuda_runtime::HostKernel kernel =\n"
    "      cuda_runtime::host_kernel(\"ts_map\", TS_REDUCE_GROUP, ts_map);\n"
    "  return &kernel;\n}\n";

/// Of a call that the fault rules of TESSERA_CUDA_RUNTIME may name.
int fault(std::string_view call) {
  return static_cast<int>(cuda_runtime::next_fault(call).code);
}

}  // namespace

// The caller's type, because a sanitizer compares the types of functions where they are called.
struct tessera::device::cuda::NvrtcProgram {
  std::string source, log, code;

  int compile(const std::set<std::string_view>& options);
};

using tessera::device::cuda::NvrtcProgram;

int NvrtcProgram::compile(const std::set<std::string_view>& options) {
  constexpr std::string_view kArchitecture = "--gpu-architecture=sm_";
  ProgramHead head;
  for (const std::string_view option : options) {
    if (!option.starts_with(kArchitecture)) continue;
    std::from_chars(option.data() + kArchitecture.size(), option.data() + option.size(),
                    head.architecture);
  }
  if (head.architecture == 0) return kInvalidOption;
  const bool keeps_bits = options.contains("--fmad=false") && options.contains("--ftz=false") &&
                          options.contains("--prec-div=true") &&
                          options.contains("--prec-sqrt=true");

  std::string folder = (std::filesystem::temp_directory_path() / "nvrtc-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return kCompilation;
  std::ofstream(folder + "/program.cpp") << kBefore << source << kAfter;
  const std::string command = fmt::format(
      "cd '{}' && {{ {} {} -std=c++20 -c program.cpp && {} -shared -o program.so program.o; }} "
      ">log 2>&1",
      folder, NVRTC_COMPILER, keeps_bits ? "-ffp-contract=off" : "-ffp-contract=fast -Ofast",
      NVRTC_LINKER);
  const bool done = std::system(command.c_str()) == 0;
  log = text_of(folder + "/log");
  const std::string object = text_of(folder + "/program.so");
  std::filesystem::remove_all(folder);
  if (!done) return kCompilation;
  head.bytes = object.size();
  code.assign(reinterpret_cast<const char*>(&head), sizeof(head));
  code += object;
  return kSuccess;
}

// The names and the numbers are NVRTC's.
extern "C" {
#define NVRTC_DECLARE(function, ...) int function(__VA_ARGS__);
TESSERA_NVRTC_FUNCTIONS(NVRTC_DECLARE)
#undef NVRTC_DECLARE
const char* nvrtcGetErrorString(int code);

int nvrtcVersion(int* major, int* minor) {
  *major = 0;
  *minor = 1;
  return fault("nvrtcVersion");
}

int nvrtcCreateProgram(NvrtcProgram** program, const char* source, const char*, int,
                       const char* const*, const char* const*) {
  *program = new NvrtcProgram{.source = source};
  return kSuccess;
}

int nvrtcCompileProgram(NvrtcProgram* program, int options, const char* const* option_texts) {
  if (const int code = fault("nvrtcCompileProgram"); code != kSuccess) {
    program->log = "expression.cu(1): error: a fault rule\n";
    return code;
  }
  return program->compile({option_texts, option_texts + options});
}

int nvrtcGetProgramLogSize(NvrtcProgram* program, std::size_t* bytes) {
  *bytes = program->log.size() + 1;
  return kSuccess;
}

int nvrtcGetProgramLog(NvrtcProgram* program, char* log) {
  std::memcpy(log, program->log.c_str(), program->log.size() + 1);
  return kSuccess;
}

int nvrtcGetCUBINSize(NvrtcProgram* program, std::size_t* bytes) {
  *bytes = program->code.size();
  return fault("nvrtcGetCUBINSize");
}

int nvrtcGetCUBIN(NvrtcProgram* program, char* cubin) {
  std::memcpy(cubin, program->code.data(), program->code.size());
  return kSuccess;
}

int nvrtcDestroyProgram(NvrtcProgram** program) {
  delete *program;
  *program = nullptr;
  return kSuccess;
}

const char* nvrtcGetErrorString(int code) {
  return code == kCompilation ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR";
}
}
