// The values of an image in the memory of the caller.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "render/image_sink.hpp"

namespace tessera::render {

/// Memory for a field of an image, in rows of `stride_bytes`.
struct FieldMemory {
  job::Field field = job::Field::iterations;
  std::byte* values = nullptr;  ///< values of job::field_type()
  std::size_t stride_bytes = 0;
};

/// Used on the gather rank. The job's files, picture and compression are ignored. Throws a usage
/// error if a field has no memory, or for a share.
class MemorySink : public ImageSink {
 public:
  explicit MemorySink(std::vector<FieldMemory> fields) : fields_(std::move(fields)) {}

  bool prepare(comm::World& world, job::RenderJob& job) override;
  std::unique_ptr<store::ImageWriter> begin(const job::RenderJob& job,
                                            store::Leftover& found) override;
  void describe(const job::RenderJob& job, report::RunReport& run) const override;

 private:
  std::vector<FieldMemory> fields_;
};

}  // namespace tessera::render
