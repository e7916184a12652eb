// A rectangle of an image: as a picture, as a job file, as a command line.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "base/geometry.hpp"
#include "job/image/color_job.hpp"
#include "view/http/http.hpp"
#include "view/http/target.hpp"
#include "view/image_list.hpp"
#include "view/look.hpp"

namespace tessera::view {

/// The job of `color` for x, y, width, height, scale and the look. Throws HttpError 400.
job::ColorJob region_job(const Target& target, const OpenImage& image, const PaletteFiles& files);

/// The command that renders the rectangle, for a picture called `png`. Throws HttpError 400 if the
/// file lacks the attributes of its place.
std::string region_command(const OpenImage& image, job::ColorJob job, const std::string& png);
/// The same as a job file.
std::string region_toml(const OpenImage& image, job::ColorJob job, const std::string& png);

/// Makes pictures with `color`, one at a time, on the thread that calls MPI.
class RegionQueue {
 public:
  using Color = std::function<void(const job::ColorJob&)>;

  /// Returns the picture once it is made; it lies in a temporary file without a name. Any thread
  /// may call it. Throws HttpError 429 if others wait, 503 if the server ends, and the errors of
  /// `color`.
  std::shared_ptr<const LongBody> make(const job::ColorJob& job, const std::string& name);
  /// Makes the next picture, or returns after `wait`.
  void serve(std::chrono::milliseconds wait, const Color& color);
  /// Refuses all pictures from now on.
  void close();

 private:
  struct Order {
    job::ColorJob job;
    std::exception_ptr failure;
    bool done = false;
  };
  std::mutex mutex_;
  std::condition_variable ordered_, made_;
  std::deque<std::shared_ptr<Order>> orders_;
  bool closed_ = false;
};

}  // namespace tessera::view
