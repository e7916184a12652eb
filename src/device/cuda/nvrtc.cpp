#include "device/cuda/nvrtc.hpp"

#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "device/device_error.hpp"

namespace tessera::device::cuda {
namespace {

const std::string& library_of_build() {
  static const std::string name = fmt::format("libnvrtc.so.{}", CUDART_VERSION / 1000);
  return name;
}

/// "" stands for the places that the loader knows.
std::vector<std::string> folders() {
  std::vector<std::string> all = {""};
  for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* const toolkit = std::getenv(variable);
    if (toolkit != nullptr) all.push_back(fmt::format("{}/lib64/", toolkit));
  }
  for (const char* const toolkit : {"/usr/local/cuda", "/opt/cuda"}) {
    all.push_back(fmt::format("{}/lib64/", toolkit));
  }
  return all;
}

/// The start of the compiler's log, on one line.
std::string shortened(std::string log) {
  constexpr std::size_t kMostCharacters = 300;
  log.resize(std::min({log.find('\0'), log.size(), kMostCharacters}));
  std::ranges::replace(log, '\n', ' ');
  return log;
}

}  // namespace

Nvrtc::Nvrtc() {
  const char* const variable = std::getenv("TESSERA_NVRTC");
  const std::string named = variable == nullptr ? "" : variable;
  if (named == "off") throw DeviceError("TESSERA_NVRTC is off");
  if (!named.empty()) {
    if (load(named)) return;
    throw DeviceError(fmt::format("TESSERA_NVRTC: {} is not an NVRTC that can be loaded", named));
  }
  for (const std::string& name : {library_of_build(), std::string("libnvrtc.so.13"),
                                  std::string("libnvrtc.so.12"), std::string("libnvrtc.so")}) {
    for (const std::string& folder : folders()) {
      if (load(folder + name)) return;
    }
  }
  throw DeviceError(fmt::format("no {} on this machine", library_of_build()));
}

bool Nvrtc::load(const std::string& library) {
  // Never closed, because the compiler has threads and exit handlers of its own.
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return false;
  bool complete = true;
  const auto find = [&](const char* symbol, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, symbol));
    complete &= function != nullptr;
  };
#define TESSERA_NVRTC_LOAD(function, ...) find(#function, function);
  TESSERA_NVRTC_FUNCTIONS(TESSERA_NVRTC_LOAD)
#undef TESSERA_NVRTC_LOAD
  find("nvrtcGetErrorString", nvrtcGetErrorString);
  int major = 0;
  int minor = 0;
  if (!complete || nvrtcVersion(&major, &minor) != 0) return false;
  name_ = fmt::format("NVRTC {}.{}", major, minor);
  // The compiler opens it by this name, which finds what is loaded already, wherever that lies.
  const std::string folder = library.substr(0, library.find_last_of('/') + 1);
  dlopen(fmt::format("{}libnvrtc-builtins.so.{}.{}", folder, major, minor).c_str(),
         RTLD_NOW | RTLD_LOCAL);
  return true;
}

std::vector<unsigned char> Nvrtc::compile(const std::string& source,
                                          std::span<const std::string> options) const {
  std::string log;
  const auto check = [&](int code, std::string_view call) {
    if (code == 0) return;
    throw DeviceError(fmt::format("{}: {}{}{}", call, nvrtcGetErrorString(code),
                                  log.empty() ? "" : ": ", shortened(log)));
  };
  NvrtcProgram* created = nullptr;
  check(nvrtcCreateProgram(&created, source.c_str(), "expression.cu", 0, nullptr, nullptr),
        "nvrtcCreateProgram");
  const auto destroy = [this](NvrtcProgram* program) { nvrtcDestroyProgram(&program); };
  const std::unique_ptr<NvrtcProgram, decltype(destroy)> program(created, destroy);

  std::vector<const char*> texts;
  for (const std::string& option : options) texts.push_back(option.c_str());
  const int compiled =
      nvrtcCompileProgram(program.get(), static_cast<int>(texts.size()), texts.data());
  std::size_t bytes = 0;
  if (compiled != 0 && nvrtcGetProgramLogSize(program.get(), &bytes) == 0) {
    log.resize(bytes);
    nvrtcGetProgramLog(program.get(), log.data());
  }
  check(compiled, "nvrtcCompileProgram");
  check(nvrtcGetCUBINSize(program.get(), &bytes), "nvrtcGetCUBINSize");
  std::vector<unsigned char> code(bytes);
  check(nvrtcGetCUBIN(program.get(), reinterpret_cast<char*>(code.data())), "nvrtcGetCUBIN");
  return code;
}

}  // namespace tessera::device::cuda
