// The kernels of the program, compiled for the host from the same text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace cuda_runtime {

/// Turns a handle to device memory into the address of its bytes; null stays null. Reports any
/// other address.
using Translate = std::function<void*(const void* handle)>;

struct HostKernel {
  std::string_view name;
  std::uint32_t threads;  ///< of a block: its __launch_bounds__
  /// `arguments` points to each argument, as cudaLaunchKernel() has it. The result holds copies.
  std::function<std::function<void()>(void** arguments, const Translate& translate)> bind;
};

template <class Parameter>
std::remove_const_t<Parameter> argument(const void* from, const Translate& translate) {
  auto value = *static_cast<const std::remove_const_t<Parameter>*>(from);
  if constexpr (std::is_pointer_v<Parameter>) value = static_cast<Parameter>(translate(value));
  return value;
}

template <class... Parameters, std::size_t... I>
std::function<void()> bind_arguments(void (*text)(Parameters...), void** arguments,
                                     const Translate& translate, std::index_sequence<I...>) {
  return [text, values = std::tuple{argument<Parameters>(arguments[I], translate)...}] {
    std::apply(text, values);
  };
}

template <class... Parameters>
HostKernel host_kernel(std::string_view name, std::uint32_t threads, void (*text)(Parameters...)) {
  return {name, threads, [text](void** arguments, const Translate& translate) {
            return bind_arguments(text, arguments, translate,
                                  std::index_sequence_for<Parameters...>());
          }};
}

std::span<const HostKernel> pixel_kernels();
std::span<const HostKernel> precise_kernels();
std::span<const HostKernel> wide_kernels();
std::span<const HostKernel> reduce_kernels();
std::span<const HostKernel> expression_kernels();

}  // namespace cuda_runtime
