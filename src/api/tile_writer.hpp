// Gives the tiles of a render to a sink of the caller.
#pragma once

#include "api/names.hpp"
#include "render/image_sink.hpp"

namespace tessera::api {

class CallerSink : public render::ImageSink {
 public:
  CallerSink(const ImageSpec& image, v0::ImageSink& sink) : image_(image), sink_(sink) {}

  std::unique_ptr<store::ImageWriter> begin(const job::RenderJob& job,
                                            store::Leftover& found) override;

 private:
  const ImageSpec& image_;
  v0::ImageSink& sink_;
};

}  // namespace tessera::api
