// Plans a film: the parts of images that a frame shows, and the use of --memory. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/element.hpp"
#include "base/geometry.hpp"
#include "job/image/film_job.hpp"
#include "job/memory.hpp"
#include "store/picture/picture_format.hpp"

namespace tessera::post {

/// A position between an image of a zoom and the next.
struct FilmPlace {
  std::int64_t key = 0;  ///< the image
  double beyond = 0;     ///< 0 <= beyond < 1: the fraction of the way to the next one
};

/// The frames of a film over the images of a zoom, at constant speed but for its ends.
struct FilmFrames {
  std::int64_t keys = 2;
  std::int64_t count = 2;  ///< at least 2; the first shows the first image, the last the last one
  std::int64_t hold = 0;   ///< more of the same, at either end
  double ease = 0;         ///< frames in which the speed rises, and those in which it falls

  FilmPlace at(std::int64_t frame) const;
  /// The part of the way to the last image, 0 to 1.
  double way(const FilmPlace& place) const {
    return (static_cast<double>(place.key) + place.beyond) / static_cast<double>(keys - 1);
  }
};

inline constexpr std::int64_t kMaxFilmFrames = 10'000'000;

/// The frames that the job asks for. Throws a usage error beyond kMaxFilmFrames, and if --hold and
/// --ease leave no time.
FilmFrames frames_of(const job::FilmJob& job, std::int64_t keys);

/// How a frame is made of the image and the next, narrower one. They share their centre. The film
/// lies within the wide image; the narrow one covers the middle of it, more and more. It fades in
/// while the film moves on, so that it is there alone when the film reaches it. Its edge is soft.
struct FilmBlend {
  double wide_scale = 1;    ///< columns of the wide image in a column of the film
  double narrow_scale = 1;  ///< the same of the narrow one
  double narrow_weight = 0;
  double edge_px = 0;  ///< width of the soft edge, in columns of the film
};

/// `zoom`: the quotient of their widths.
FilmBlend blend_at(const base::ImageSize& key_px, const base::ImageSize& film_px, double zoom,
                   double beyond);

/// The film, and the resources of a rank.
struct FilmRequest {
  base::ImageSize film_px;
  base::ImageSize chunk_px;  ///< the largest one
  base::ElementType type = base::ElementType::f32;
  const store::PictureFormat* file = store::picture_formats().data();  ///< format of a frame
  std::size_t alongside_bytes = 0;                                     ///< as in BandRequest
  std::size_t pixel_bytes = 3;    ///< bytes of a pixel of a frame
  int beside = 0;                 ///< as in BandRequest
  std::size_t picture_bytes = 0;  ///< of a color::LightPicture of an image, in a film that turns
  std::size_t color_bytes = 0;    ///< of the colours of a frame, where they are not those of all
  bool in_order = false;          ///< frames that arrive early wait for those before them
  std::uint64_t memory_bytes = 0;
  int lanes = 1;
  int lanes_of_all = 1;
};

struct FilmBudget {
  std::int64_t rows = 0;    ///< rows of a frame that a lane makes at a time
  int lanes = 0;            ///< worker threads that fit
  std::int64_t window = 0;  ///< as in BandBudget; 0 = no limit
  std::uint64_t queue_bytes = 0;
};

/// Throws a usage error that names --memory and a sufficient value if one lane does not fit.
FilmBudget plan_film(const FilmRequest& request);

}  // namespace tessera::post
