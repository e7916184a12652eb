// .imt and .im of Imagina.
#include <fmt/format.h>

#include <bit>
#include <cstdint>

#include "place/formats.hpp"
#include "plane/decimals.hpp"

namespace tessera::place {
namespace {

constexpr std::string_view kMagic{"\xff\x49\x4d\x50\x56\x0d\x0a\0", 8};

/// Bytes from a position on; refuses to read beyond the end.
class Bytes {
 public:
  Bytes(const Source& source, std::uint64_t at) : source_(source), at_(at) {}

  std::string_view take(std::uint64_t bytes) {
    const std::string_view text = source_.text;
    if (at_ > text.size() || bytes > text.size() - at_) refuse(source_, "is cut off");
    const std::string_view part = text.substr(at_, bytes);
    at_ += bytes;
    return part;
  }
  std::uint64_t big_endian(std::uint64_t bytes) {
    std::uint64_t value = 0;
    for (const char c : take(bytes)) value = value << 8 | static_cast<unsigned char>(c);
    return value;
  }
  std::uint64_t little_endian(std::uint64_t bytes) {
    const std::string_view part = take(bytes);
    std::uint64_t value = 0;
    for (std::size_t i = part.size(); i-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(part[i]);
    }
    return value;
  }

 private:
  const Source& source_;
  std::uint64_t at_;
};

/// An exponent in limbs of 64 bits, a count of bytes with the number's sign, the bytes.
std::string number(Bytes& bytes, const Source& source) {
  const auto limbs = static_cast<std::int32_t>(bytes.little_endian(4));
  const auto signed_bytes = static_cast<std::int32_t>(bytes.big_endian(4));
  const std::int64_t length = std::abs(std::int64_t{signed_bytes});
  constexpr std::int64_t kMostBytes = 1 << 17;
  if (length > kMostBytes) refuse(source, "has a coordinate of too many digits");
  if (length == 0) return "0";
  constexpr std::int64_t kLimbBytes = 8;
  const std::int64_t own_limbs = (length + kLimbBytes - 1) / kLimbBytes;
  std::string digits = signed_bytes < 0 ? "-" : "";
  for (const char c : bytes.take(static_cast<std::uint64_t>(length))) {
    digits += fmt::format("{:02x}", static_cast<unsigned char>(c));
  }
  return plane::decimal_of_binary(digits, 64 * (limbs - own_limbs));
}

std::string formula_of(const Source& source, const std::string& name) {
  if (name == "Mandelbrot") return "mandelbrot";
  if (name == "Tricorn") return "tricorn";
  if (name == "Burning ship" || name == "Burning Ship") return "burning-ship";
  refuse(source, fmt::format("its formula {} is not rendered here; there are {}", name,
                             job::formula_choices()));
}

std::string height_of(const Source& source, const plane::Real& half) {
  if (half.sign() <= 0) refuse(source, "its size is not above 0");
  return plane::decimal_of(half * plane::Real(2));
}

}  // namespace

bool is_imagina_binary(std::string_view text) {
  return text.starts_with(kMagic);
}

Place read_imagina_binary(const Source& source) {
  const std::uint64_t location = Bytes(source, 2 * kMagic.size()).little_endian(8);
  Bytes bytes(source, location);
  plane::Real half(std::bit_cast<double>(bytes.little_endian(8)));
  const auto exponent = static_cast<std::int64_t>(bytes.little_endian(8));
  constexpr std::int64_t kMostBits = 1'000'000;
  if (mpfr_number_p(half.get()) == 0 || std::abs(exponent) > kMostBits) {
    refuse(source, "its size is no number");
  }
  mpfr_mul_2si(half.get(), half.get(), static_cast<long>(exponent), MPFR_RNDN);
  Place place{.height = height_of(source, half)};
  place.iterations = count(source, "iterations", std::to_string(bytes.little_endian(8)));
  place.center_re = number(bytes, source);
  place.center_im = number(bytes, source);
  return place;
}

bool is_imagina_text(std::string_view text) {
  const Values values = lines_of_keys(text);
  return values.contains("Location") && values.contains("Re") && values.contains("Im") &&
         values.contains("Size");
}

Place read_imagina_text(const Source& source) {
  const Values values = lines_of_keys(source.text);
  const plane::Real half(value_or(values, "Size", ""), plane::Real::kBits, 16);
  Place place{.formula = formula_of(source, value_or(values, "Formula", "Mandelbrot")),
              .center_re = plane::decimal_of_hexadecimal(value_or(values, "Re", "0")),
              .center_im = plane::decimal_of_hexadecimal(value_or(values, "Im", "0")),
              .height = height_of(source, half)};
  if (values.contains("Iterations")) {
    place.iterations = count(source, "Iterations", value_or(values, "Iterations", ""));
  }
  return place;
}

}  // namespace tessera::place
