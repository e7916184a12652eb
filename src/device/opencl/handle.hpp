// Owners of OpenCL objects.
#pragma once

#include <utility>

#include "device/opencl/api.hpp"

namespace tessera::device::opencl {

/// `kRelease` is the member of Api that releases the object; the destructor ignores its failure.
template <class Object, auto kRelease>
class Handle {
 public:
  Handle() = default;
  Handle(const Api& cl, Object object) : cl_(&cl), object_(object) {}
  ~Handle() {
    if (object_ != nullptr) (cl_->*kRelease)(object_);
  }
  Handle(Handle&& other) noexcept
      : cl_(other.cl_), object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(cl_, other.cl_);
    std::swap(object_, other.object_);
    return *this;
  }

  Object get() const { return object_; }

 private:
  const Api* cl_ = nullptr;
  Object object_ = nullptr;
};

using Context = Handle<cl_context, &Api::clReleaseContext>;
using Queue = Handle<cl_command_queue, &Api::clReleaseCommandQueue>;
using Memory = Handle<cl_mem, &Api::clReleaseMemObject>;
using Program = Handle<cl_program, &Api::clReleaseProgram>;
using Kernel = Handle<cl_kernel, &Api::clReleaseKernel>;
using Event = Handle<cl_event, &Api::clReleaseEvent>;

}  // namespace tessera::device::opencl
