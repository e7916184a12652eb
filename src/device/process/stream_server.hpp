// The device's end of a connection: executes commands on a stream and sends the answers.
#pragma once

#include <functional>
#include <memory>

#include "device/gpu/arrays/stream/array_stream.hpp"
#include "device/gpu/pixels/pixel_stream.hpp"
#include "device/process/channel.hpp"

namespace tessera::device::process {

/// Opens a stream and drives it until the line closes.
void serve_pixels(const std::function<std::unique_ptr<gpu::Stream>()>& open, Channel& line);
void serve_arrays(const std::function<std::unique_ptr<gpu::ArrayStream>()>& open, Channel& line);

/// Runs `make`; an exception becomes a failure answer.
base::Bytes answer_of(const std::function<base::Bytes()>& make);

}  // namespace tessera::device::process
