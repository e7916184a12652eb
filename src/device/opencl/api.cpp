#include "device/opencl/api.hpp"

#include <dlfcn.h>

#include <array>
#include <utility>

namespace tessera::device::opencl {
namespace {

struct Loaded {
  Api api;
  std::string reason;  ///< why OpenCL is unavailable
};

Loaded load() {
  Loaded loaded;
  // Never closed, because drivers leave threads and exit handlers behind.
  void* const library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    loaded.reason = "no OpenCL loader (libOpenCL.so.1) on this machine";
    return loaded;
  }
#define TESSERA_OPENCL_LOAD(function)                                             \
  loaded.api.function =                                                           \
      reinterpret_cast<decltype(loaded.api.function)>(dlsym(library, #function)); \
  if (loaded.api.function == nullptr) loaded.reason = "the OpenCL loader lacks " #function;
  TESSERA_OPENCL_FUNCTIONS(TESSERA_OPENCL_LOAD)
#undef TESSERA_OPENCL_LOAD
  return loaded;
}

const Loaded& loaded() {
  static const Loaded once = load();
  return once;
}

}  // namespace

const Api* find_api(std::string& reason) {
  reason = loaded().reason;
  return reason.empty() ? &loaded().api : nullptr;
}

const Api& api() {
  std::string reason;
  const Api* const found = find_api(reason);
  if (found == nullptr) throw base::missing_error("--device opencl: {}", reason);
  return *found;
}

std::string error_name(cl_int code) {
  static constexpr std::array kNames = {
      std::pair{CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
      std::pair{CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
      std::pair{CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
      std::pair{CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
      std::pair{CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
      std::pair{CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
      std::pair{CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
      std::pair{CL_MAP_FAILURE, "CL_MAP_FAILURE"},
      std::pair{CL_INVALID_VALUE, "CL_INVALID_VALUE"},
      std::pair{CL_INVALID_DEVICE, "CL_INVALID_DEVICE"},
      std::pair{CL_INVALID_BINARY, "CL_INVALID_BINARY"},
      std::pair{CL_INVALID_PROGRAM_EXECUTABLE, "CL_INVALID_PROGRAM_EXECUTABLE"},
      std::pair{CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
      std::pair{CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
      std::pair{CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE"},
      std::pair{CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
      std::pair{CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
      std::pair{CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
                "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
      std::pair{-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
  };
  for (const auto& [value, name] : kNames) {
    if (value == code) return name;
  }
  return fmt::format("OpenCL error {}", code);
}

}  // namespace tessera::device::opencl
