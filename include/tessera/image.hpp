// Images: rendered into files, into memory, or tile by tile to whoever takes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tessera/array.hpp"
#include "tessera/context.hpp"
#include "tessera/error.hpp"
#include "tessera/export.hpp"

namespace tessera::TESSERA_INLINE v0 {

/// The gradient is two fields.
enum class Field { iterations, smooth, distance, fraction, gradient_x, gradient_y, phase };

/// An image to be rendered, with the options of `tessera render`.
class TESSERA_EXPORT ImageSpec {
 public:
  /// Throws a usage error that names the option.
  explicit ImageSpec(const Options& options = {});
  ~ImageSpec();
  ImageSpec(const ImageSpec&);
  ImageSpec(ImageSpec&&) noexcept;
  ImageSpec& operator=(const ImageSpec&);
  ImageSpec& operator=(ImageSpec&&) noexcept;

  std::int64_t width_px() const;
  std::int64_t height_px() const;
  std::uint64_t iterations() const;  ///< the limit
  /// Whether f64 cannot tell neighbouring pixels apart.
  bool beyond_f64() const;
  /// Real parts of the columns, and imaginary parts of the rows, of pixels' centres. Empty if the
  /// plane is turned, or if f64 does not tell neighbouring pixels apart.
  std::vector<double> re() const;
  std::vector<double> im() const;
  std::vector<Field> fields() const;
  Type type(Field field) const;
  /// All options that decide the pixels; the same image follows from them.
  Options place() const;

  struct State;
  const State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

/// Rows of an image in memory.
struct FieldMemory {
  Field field = Field::iterations;
  void* values = nullptr;  ///< of ImageSpec::type(field)
  std::size_t stride_bytes = 0;
};

struct Tile {
  Field field = Field::iterations;
  std::int64_t x = 0, y = 0, width = 0, height = 0;
  const std::byte* values = nullptr;
  std::size_t stride_bytes = 0;  ///< from a row to the next
};

/// Takes the tiles of an image, in any order; one thread at a time.
class TESSERA_EXPORT ImageSink {
 public:
  ImageSink();
  virtual ~ImageSink();
  ImageSink(const ImageSink&) = delete;
  ImageSink& operator=(const ImageSink&) = delete;

  virtual void begin(const ImageSpec& image) = 0;
  /// The values are there until it returns.
  virtual void tile(const Tile& tile) = 0;
  virtual void end() {}
};

/// Renders into the files that the options `output` and `png` name. An image that is there already
/// is complete at once; one that was stopped resumes.
TESSERA_EXPORT Report render(Context& context, const ImageSpec& image, const Run& run = {});
/// Renders into memory, which has each field of the image once. Of a communicator, that of rank 0.
TESSERA_EXPORT Report render(Context& context, const ImageSpec& image,
                             std::span<const FieldMemory> fields, const Run& run = {});
/// Renders tile by tile. Of a communicator, rank 0 gets them all.
TESSERA_EXPORT Report render(Context& context, const ImageSpec& image, ImageSink& sink,
                             const Run& run = {});

/// Values of an image, for a picture.
struct ImageValues {
  std::int64_t width = 0, height = 0;
  std::uint64_t limit = 0;          ///< of iterations: values from there on are inside
  ArrayView values;                 ///< counts or smooth values, in rows
  const float* distance = nullptr;  ///< in rows without gaps; null = none
  bool beyond_f64 = false;          ///< colours are equalized unless the look says otherwise
  /// For `light`; in rows without gaps. Null = none.
  const float* gradient_x = nullptr;
  const float* gradient_y = nullptr;
  /// 1 where nothing is rendered yet, which is transparent then; in rows without gaps. Null = all
  /// is.
  const std::uint8_t* missing = nullptr;
};

/// A PNG file of them. `look` has the options of colours of `tessera color`: palette, equalize, ...
TESSERA_EXPORT std::vector<std::byte> picture(const ImageValues& image, const Options& look = {});

/// The options that make the image of a file, or of a picture, again. Throws a missing error if
/// there is none.
TESSERA_EXPORT Options options_of_image(const std::string& path);

struct Rectangle {
  std::int64_t x = 0, y = 0, width = 0, height = 0;
};
/// The tiles that an unfinished file lacks; its fields say nothing there.
TESSERA_EXPORT std::vector<Rectangle> missing_tiles(const std::string& path);

struct NamedView {
  std::string name;
  std::string description;
};
TESSERA_EXPORT std::vector<NamedView> views();
TESSERA_EXPORT std::vector<std::string> palettes();

}  // namespace tessera::TESSERA_INLINEv0
