// The functions of CUDA for streams and events.
#include <fmt/format.h>

#include "calls.hpp"

using namespace cuda_runtime;

struct CUevent_st {
  Device* device;
  bool blocking;
  std::shared_ptr<Stream> stream;  ///< on which it was recorded last
  std::uint64_t position = 0;
};

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return device_call("cudaStreamCreateWithFlags", [&] {
    if (flags != cudaStreamNonBlocking) report("a stream that waits for the default stream");
    *stream = new CUstream_st{open_stream(current_device())};
    return cudaSuccess;
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  stream->stream->close();
  delete stream;
  return plain_call("cudaStreamDestroy", [] { return cudaSuccess; });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return device_call("cudaStreamSynchronize", [&] {
    Stream& on = stream_of(stream, "cudaStreamSynchronize");
    return on.wait(on.pushed());
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return device_call("cudaStreamQuery", [&] {
    if (stream == nullptr) return cudaSuccess;  // a question about the context: nothing is queued
    Stream& on = stream_of(stream, "cudaStreamQuery");
    return on.reached(on.pushed()) ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return device_call("cudaEventCreateWithFlags", [&] {
    const bool blocking = (flags & cudaEventBlockingSync) != 0;
    *event = new CUevent_st{.device = &current_device(), .blocking = blocking, .stream = nullptr};
    return cudaSuccess;
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return plain_call("cudaEventDestroy", [] { return cudaSuccess; });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return device_call("cudaEventRecord", [&] {
    Stream& on = stream_of(stream, "cudaEventRecord");
    if (event->device != &on.device()) report("an event of another device than its stream");
    event->stream = stream->stream;
    event->position = on.pushed();
    return cudaSuccess;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return device_call("cudaEventSynchronize", [&] {
    if (event->stream == nullptr) report("a wait for an event that was never recorded");
    if (!event->blocking) report("a wait for an event that spins");
    return event->stream->wait(event->position);
  });
}
