// Gives the tiles of a render to a sink of the caller.
#pragma once

#include "api/names.hpp"
#include "render/image_sink.hpp"

namespace tessera::api {

class CallerSink : public render::ImageSink {
 public:
  CallerSink(const ImageSpec& image, v0::ImageSink& sink) : image_(image), sink_(sink) {}

  bool prepare(comm::World& world, job::RenderJob& job) override;
  std::unique_ptr<store::ImageWriter> begin(const job::RenderJob& job,
                                            store::Leftover& found) override;
  std::vector<report::ThreadReport> finish(comm::World& world, const job::RenderJob& job,
                                           bool found_complete) override;
  bool can_resume() const override { return false; }
  std::string name(const job::RenderJob& job) const override;
  std::string orbit_file(const job::RenderJob& job) const override;
  void describe(const job::RenderJob& job, report::RunReport& run) const override;

 private:
  const ImageSpec& image_;
  v0::ImageSink& sink_;
};

}  // namespace tessera::api
