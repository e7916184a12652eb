// A job of `tessera render`. ImageSpec alone determines the pixels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/element.hpp"
#include "base/geometry.hpp"
#include "job/image/formula.hpp"
#include "job/run_spec.hpp"
#include "plane/matrix.hpp"

namespace tessera::job {

enum class Field { iterations, smooth, distance, fraction, gradient_x, gradient_y, phase };

/// How pixels are computed: each orbit in f64, or as a difference from one orbit in multiprecision,
/// or in f64 with a bound of its error, and with more bits where that leaves the count open.
enum class Arithmetic { plain, perturbation, exact };

/// How a pixel is found to be inside before its last iteration.
enum class Interior {
  proven,     ///< only where it certainly never escapes
  derivative  ///< also where a small |dz_n / dz_1| says that its orbit is attracted
};

/// The exact place of an image, as normalized decimals (base::normalized_decimal()).
struct DecimalPlace {
  std::string center_re, center_im, width;

  friend bool operator==(const DecimalPlace&, const DecimalPlace&) = default;
};

/// Ranks that write an image: each writes a file.
// crossed by: test_as_many_parts_as_can_be
inline constexpr int kMaxWriters = 4096;
/// RenderJob::writers: as many as keep up, one a node at most.
inline constexpr int kAutoWriters = 0;

/// Most iterations: f64 and the numbers of a web page hold all counts up to here.
inline constexpr std::uint64_t kMaxIterations = std::uint64_t{1} << 53;
/// Most iterations that counters of 32 bits take: N + 1 fits too.
// crossed by: of_the_bits_of_a_count, of_the_bits_of_a_plain_count, are_those_of_the_reference,
// of_the_bits_of_a_deep_count, CountsBeyond16Bits
inline constexpr std::uint64_t kMaxShortIterations = 0xFFFFFFFE;

/// Everything that the value of a pixel depends on (docs/numerics.md).
struct ImageSpec {
  double center_re = -0.75;
  double center_im = 0.0;
  double width = 3.0;  ///< width of the image in the complex plane; 0 if f64 has nothing so small
  base::ImageSize size_px{1920, 1080};
  std::uint64_t iterations = 1000;  ///< N: the limit, and the count of a pixel that did not escape
  double bailout = 2.0;             ///< R: escape means |z| > R
  Formula formula;
  Arithmetic arithmetic = Arithmetic::plain;
  DecimalPlace place;  ///< empty for plain arithmetic
  /// Pixels by perturbation whose count f64 leaves uncertain are computed again with more bits.
  bool exact = true;
  Interior interior = Interior::proven;
  plane::Matrix matrix;  ///< from pixels to the plane

  constexpr bool deep() const { return arithmetic == Arithmetic::perturbation; }
  /// A wide image whose counts are those of exact orbits.
  constexpr bool bounded() const { return arithmetic == Arithmetic::exact; }
  /// Whether pixels depend on all decimals of `place`.
  constexpr bool has_place() const { return arithmetic != Arithmetic::plain; }
  /// N, or as much of it as counters of 32 bits take.
  constexpr std::uint32_t short_iterations() const {
    return static_cast<std::uint32_t>(std::min(iterations, kMaxShortIterations));
  }
  /// Whether pixels that do not escape within short_iterations() are computed again, with counters
  /// of 64 bits (device/pixels/long_orbits.hpp).
  constexpr bool has_long_orbits() const {
    return arithmetic == Arithmetic::plain && iterations > kMaxShortIterations;
  }
  /// Distance of neighbouring pixels in the complex plane.
  double step() const { return width / static_cast<double>(size_px.width); }
  /// What a pixel to the right and one up add to the real and to the imaginary part of c.
  double right_re() const { return matrix.a * step(); }
  double right_im() const { return matrix.c * step(); }
  double up_re() const { return matrix.b * step(); }
  double up_im() const { return matrix.d * step(); }
  kernels::TsTurn turn() const { return {matrix.a, matrix.b, matrix.c, matrix.d}; }

  friend bool operator==(const ImageSpec&, const ImageSpec&) = default;
};

/// Type of /iterations in computation, messages and files.
// crossed by: of_the_bits_of_a_count, of_the_bits_of_a_plain_count, are_those_of_the_reference,
// of_the_bits_of_a_deep_count, CountsBeyond16Bits
constexpr base::ElementType iterations_type(const ImageSpec& image) {
  using enum base::ElementType;
  if (image.iterations <= 65535) return u16;
  return image.iterations <= kMaxShortIterations ? u32 : u64;
}

constexpr base::ElementType field_type(const ImageSpec& image, Field field) {
  return field == Field::iterations ? iterations_type(image) : base::ElementType::f32;
}

constexpr std::string_view field_name(Field field) {
  constexpr std::string_view kNames[] = {"iterations", "smooth",     "distance", "fraction",
                                         "gradient_x", "gradient_y", "phase"};
  return kNames[static_cast<int>(field)];
}

/// As the option names it: one name may be that of several fields.
constexpr std::string_view field_choice(Field field) {
  return field == Field::gradient_x || field == Field::gradient_y ? "gradient" : field_name(field);
}

/// All fields, in the order in which jobs, files and messages list them.
inline constexpr Field kFields[] = {Field::iterations, Field::smooth,     Field::distance,
                                    Field::fraction,   Field::gradient_x, Field::gradient_y,
                                    Field::phase};
/// Those beside iterations: their values are f32.
inline constexpr std::span kMoreFields = std::span(kFields).subspan<1>();

/// What belongs to each of kMoreFields.
template <class T>
struct PerField {
  T smooth{}, distance{}, fraction{}, gradient_x{}, gradient_y{}, phase{};

  T& operator[](Field field) { return of(*this, field); }
  const T& operator[](Field field) const { return of(*this, field); }
  /// Whether some need |z_m| of the first z_m beyond the smooth radius, some its derivative, and
  /// some that or its parts.
  bool finds_m() const { return smooth || fraction; }
  bool derives() const { return distance || gradient_x || gradient_y; }
  bool measures() const { return derives() || phase; }
  bool any() const { return finds_m() || measures(); }

 private:
  static auto& of(auto& self, Field field) {
    switch (field) {
      case Field::smooth:
        return self.smooth;
      case Field::distance:
        return self.distance;
      case Field::fraction:
        return self.fraction;
      case Field::gradient_x:
        return self.gradient_x;
      case Field::gradient_y:
        return self.gradient_y;
      default:
        return self.phase;
    }
  }
};

/// Those of them that an image has.
using MoreFields = PerField<bool>;

inline bool has_field(const std::vector<Field>& fields, Field field) {
  return std::ranges::find(fields, field) != fields.end();
}
inline MoreFields more_fields(const std::vector<Field>& fields) {
  MoreFields more;
  for (const Field field : kMoreFields) more[field] = has_field(fields, field);
  return more;
}
/// The field whose values become colours.
inline Field colored_field(const std::vector<Field>& fields) {
  return has_field(fields, Field::smooth) ? Field::smooth : Field::iterations;
}

/// One of several parts of the tiles of an image; independent jobs render one part each.
struct Share {
  int number = 1;  ///< from 1
  int of = 1;

  bool whole() const { return of == 1; }
  friend bool operator==(const Share&, const Share&) = default;
};

/// The palette advances with the logarithm of the value, or with the value or a root of it, and
/// then repeats after `period`.
struct PaletteScale {
  enum class Kind { log, linear, sqrt, cbrt };
  Kind kind = Kind::log;
  double period = 0;

  friend bool operator==(const PaletteScale&, const PaletteScale&) = default;
};

/// Light on the slopes of the distance.
struct Light {
  double azimuth_deg = 0;  ///< it comes from there, anticlockwise from the right of the picture
  double height = 1.5;

  friend bool operator==(const Light&, const Light&) = default;
};

/// How values become colours.
struct Coloring {
  std::string palette = "twilight";  ///< name or file
  double palette_cycle = 0;          ///< 0: usual
  double palette_offset = 0;
  PaletteScale palette_scale;
  std::string inside;   ///< colour; "" = the palette's
  double distance = 0;  ///< pixels of the picture around the set that are drawn as inside; 0: none
  std::optional<Light> light;
  bool equalize = false;
  bool equalize_auto = true;  ///< `equalize` is open: settle_colors() decides
  int png_depth = 8;          ///< bits of a channel: 8 or 16

  friend bool operator==(const Coloring&, const Coloring&) = default;
};

/// The fields that it takes beside the values that become colours.
inline std::vector<Field> shading_fields(const Coloring& coloring) {
  std::vector<Field> fields;
  if (coloring.distance > 0) fields.push_back(Field::distance);
  if (coloring.light) fields.insert(fields.end(), {Field::gradient_x, Field::gradient_y});
  return fields;
}

/// How a picture is turned: in this order, after its matrix.
struct Turn {
  std::string rotate = "0";                     ///< degrees
  std::string stretch = "1", stretch_at = "0";  ///< factor, degrees
  std::string scale = "1";                      ///< of the matrix as it was given, for the width

  friend bool operator==(const Turn&, const Turn&) = default;
};

/// Where the iterations of a job come from.
enum class IterationsFrom {
  open,   ///< not decided yet
  depth,  ///< default_iterations() of the width
  given   ///< an option or a view
};

/// A whole job: the image, how it is computed, and the files that are written.
struct RenderJob : RunSpec, Coloring {
  ImageSpec image;
  std::string view;                         ///< name of the view that it started from, or ""
  std::string from;                         ///< the file that the place was taken from, or ""
  std::string region;                       ///< the part of `from`, or ""
  std::string center_text = "-0.75,0";      ///< as given, any number of digits
  std::string width_text = "3";             ///< as given
  std::string formula_text = "mandelbrot";  ///< as given
  std::string height_text;                  ///< instead of the width, or ""
  Turn turn;                                ///< what is to be done to image.matrix
  bool mirror = false;                      ///< the same, first of all
  bool arithmetic_auto = true;              ///< image.arithmetic is open
  IterationsFrom iterations_from = IterationsFrom::open;

  std::vector<Field> fields{Field::iterations};  ///< always iterations, in the order of Field
  bool smooth_by_default = false;  ///< for the picture: an existing file of counts is used as it is
  int tile_px = 512;
  bool tile_auto = true;  ///< tile_px is open until the file or the devices decide
  int compress = 1;       ///< 0 none, 1 fast, 2 smaller, 3 smallest

  std::string output = "tessera.h5";
  std::string png;            ///< "" = none
  bool picture_only = false;  ///< `output` is removed when the picture is complete
  int supersample = 1;  ///< a pixel of the picture is so many rows and columns of image pixels
  bool overwrite = false;
  bool resume = false;  ///< resume an earlier run, never start from scratch
  int writers = 1;      ///< ranks that write the image, or kAutoWriters
  Share share;          ///< only these tiles; `output`.part is left for `tessera merge`

  /// A zoom as so many images; the last one has `width`. 0: one image.
  int frames = 0;
  std::string zoom_per_frame = "2";  ///< the width of an image of the zoom over that of the next
  std::string turn_per_frame = "0";  ///< degrees by which an image is turned against that before
  int of_frames = 0;                 ///< images of the zoom that this image is part of; 0 = none

  /// Size of the picture; the image is `supersample` times as wide and as high.
  base::ImageSize picture_px() const {
    return {image.size_px.width / supersample, image.size_px.height / supersample};
  }

  friend bool operator==(const RenderJob&, const RenderJob&) = default;
};

}  // namespace tessera::job
