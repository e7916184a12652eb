// The frames of a film: each lane reads, colours, rescales and blends the two images that a frame
// shows, and compresses the result.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "color/colorizer.hpp"
#include "color/pixel_format.hpp"
#include "color/rescale.hpp"
#include "farm/work.hpp"
#include "post/film/film_colors.hpp"
#include "post/film/film_plan.hpp"
#include "post/film/key_frames.hpp"
#include "store/picture/picture_format.hpp"

namespace tessera::post {

/// Everything that determines the pixels of a film, except its colours.
struct Film {
  const KeyFacts& keys;
  FilmFrames frames;
  base::ImageSize size_px;
  color::PixelFormat format;
};

/// An item is a frame. Its result is a whole picture for FrameSink, or raw pixels.
class FilmWork : public farm::Work {
 public:
  /// `file`: the format of a frame; null for raw pixels.
  FilmWork(const Film& film, KeyFrames& images, FilmColors colors, std::int64_t rows, int lanes,
           const store::PictureFormat* file);

  int lanes() const override { return static_cast<int>(lanes_.size()); }
  report::Stage part_stage() const override { return report::Stage::color; }
  report::Stage finish_stage() const override { return report::Stage::encode; }
  std::unique_ptr<farm::Task> begin(std::int64_t frame, int lane) override;

 private:
  friend class FilmTask;
  struct Lane {
    std::unique_ptr<store::BandEncoder> encoder;  ///< null for raw pixels
    color::LightBlend blend;
    color::LightPicture picture;  ///< of a layer that is turned
    std::vector<color::Pixel> row;
    base::Bytes pixels;  ///< the frame
  };
  void make_frame(Lane& lane, std::int64_t frame);
  /// An image as a layer of a frame.
  struct KeyLayer {
    std::int64_t key = 0;
    LayerPose pose;
    std::variant<color::Layer, color::TurnedLayer> part;
  };
  std::vector<KeyLayer> layers_of(const FilmPlace& place) const;
  void add_layer(Lane& lane, const FilmColors::Frame& colors, const KeyLayer& layer,
                 std::int64_t first_row, std::int64_t rows);

  const Film& film_;
  KeyFrames& images_;
  FilmColors colors_;
  std::int64_t rows_;
  std::vector<Lane> lanes_;
};

/// Counts the values of the images for --equalize, as StepCountsWork does; an item is an image.
class KeyCountsWork : public farm::Work {
 public:
  KeyCountsWork(KeyFrames& images, color::ValueRange range, int lanes)
      : images_(images), range_(range), lanes_(lanes) {}

  int lanes() const override { return lanes_; }
  report::Stage part_stage() const override { return report::Stage::color; }
  report::Stage finish_stage() const override { return report::Stage::color; }
  std::unique_ptr<farm::Task> begin(std::int64_t key, int lane) override;

 private:
  KeyFrames& images_;
  color::ValueRange range_;
  int lanes_;
};

}  // namespace tessera::post
