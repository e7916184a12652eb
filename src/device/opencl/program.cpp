#include "device/opencl/program.hpp"

#include <algorithm>
#include <vector>

#include "device/gpu/queue/program_cache.hpp"

namespace tessera::device::opencl {
namespace {

/// No -cl-fast-relaxed-math, -cl-mad-enable or similar: they would change result bits.
constexpr const char* kBuildOptions = "-cl-std=CL1.2";

/// The start of the compiler's log, on one line.
std::string build_log(const Api& cl, cl_program program, cl_device_id device) {
  // not crossed: a message is cut
  constexpr std::size_t kMaxCharacters = 300;
  std::size_t bytes = 0;
  cl.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes);
  std::string log(bytes, '\0');
  cl.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr);
  log.resize(std::min({log.find('\0'), log.size(), kMaxCharacters}));
  std::ranges::replace(log, '\n', ' ');
  return log;
}

/// Returns an empty program if the driver rejects the binary.
Program from_binary(const Api& cl, cl_context context, cl_device_id device,
                    const std::vector<unsigned char>& binary) {
  const std::size_t bytes = binary.size();
  const unsigned char* data = binary.data();
  cl_int taken = CL_SUCCESS;
  cl_int code = CL_SUCCESS;
  Program program(cl,
                  cl.clCreateProgramWithBinary(context, 1, &device, &bytes, &data, &taken, &code));
  if (code != CL_SUCCESS || taken != CL_SUCCESS) return {};
  if (cl.clBuildProgram(program.get(), 1, &device, kBuildOptions, nullptr, nullptr) != CL_SUCCESS) {
    return {};
  }
  return program;
}

Program from_source(const Api& cl, cl_context context, cl_device_id device, const char* source) {
  Program program(cl, create("clCreateProgramWithSource", cl.clCreateProgramWithSource, context,
                             cl_uint{1}, &source, static_cast<const std::size_t*>(nullptr)));
  const cl_int code = cl.clBuildProgram(program.get(), 1, &device, kBuildOptions, nullptr, nullptr);
  if (code != CL_SUCCESS) {
    throw DeviceError(fmt::format("clBuildProgram: {}: {}", error_name(code),
                                  build_log(cl, program.get(), device)));
  }
  return program;
}

std::vector<unsigned char> binary_of(const Api& cl, cl_program program) {
  std::size_t bytes = 0;
  check(cl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(bytes), &bytes, nullptr),
        "clGetProgramInfo");
  std::vector<unsigned char> binary(bytes);
  unsigned char* data = binary.data();
  check(cl.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(data), &data, nullptr),
        "clGetProgramInfo");
  return binary;
}

}  // namespace

Program build_program(const Api& cl, cl_context context, const FoundDevice& device,
                      const char* source) {
  const gpu::ProgramCache cache(gpu::cache_folder(), "opencl",
                                device.identity + kBuildOptions + "\n" + source);
  if (const auto binary = cache.load()) {
    Program program = from_binary(cl, context, device.device, *binary);
    if (program.get() != nullptr) return program;
  }
  Program program = from_source(cl, context, device.device, source);
  cache.save(binary_of(cl, program.get()));
  return program;
}

}  // namespace tessera::device::opencl
