#include "device/opencl/expression_source.hpp"

#include <fmt/format.h>

namespace tessera::device::opencl {
namespace {

std::string value_of(const kernels::TsStep& step) {
  if (step.operation == kernels::TS_ON_constant) return fmt::format("{:#x}ul", step.value);
  if (step.operation == kernels::TS_ON_load) {
    return fmt::format("ts_on_load(&call, memory, {}, {}u, index)", step.value, step.type);
  }
  if (step.operation == kernels::TS_ON_cast) {
    return fmt::format("ts_on_cast(r{}, {}u, {}u)", step.x, step.type, step.to);
  }
  const kernels::OperationRow& row = kernels::kOperations[step.operation];
  std::string arguments = fmt::format("r{}", step.x);
  if (row.arguments > 1) arguments += fmt::format(", r{}", step.y);
  if (row.arguments > 2) arguments += fmt::format(", r{}", step.z);
  return fmt::format("ts_on_{}({}, {}u)", row.name, arguments, step.type);
}

}  // namespace

std::string expression_kernel(std::span<const kernels::TsStep> steps,
                              std::span<const kernels::TsMapResult> results) {
  std::string text =
      "TS_KERNEL_OF(TS_REDUCE_BLOCK)\n"
      "void ts_map(const struct TsMap call, TS_GLOBAL unsigned char* memory) {\n"
      "  const TS_U64 index = (TS_U64)TS_BLOCK() * TS_REDUCE_BLOCK + TS_THREAD();\n"
      "  if (index < call.elements) {\n    TS_U64 r0";
  for (unsigned number = 1; number < TS_MAP_REGISTERS; ++number)
    text += fmt::format(", r{}", number);
  text += ";\n";
  for (const kernels::TsStep& step : steps) {
    text += fmt::format("    r{} = {};\n", step.result, value_of(step));
  }
  for (std::size_t k = 0; k < results.size(); ++k) {
    text += fmt::format("    ts_store_result(&call.results[{}], memory, index, r{});\n", k,
                        results[k].value);
  }
  return text + "  }\n}\n";
}

std::string expression_key(std::span<const kernels::TsStep> steps,
                           std::span<const kernels::TsMapResult> results) {
  const auto bytes = std::as_bytes(steps);
  std::string key(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const kernels::TsMapResult& result : results) key += fmt::format(" {}", result.value);
  return key;
}

}  // namespace tessera::device::opencl
