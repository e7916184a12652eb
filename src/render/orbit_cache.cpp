#include "render/orbit_cache.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "base/bytes.hpp"
#include "base/file/input_file.hpp"
#include "base/file/posix_file.hpp"
#include "codec/chunk.hpp"

namespace tessera::render {
namespace {

struct OrbitHeader {
  std::array<char, 8> magic;
  std::uint32_t checksum;  ///< CRC-32C of what follows the header
  std::uint32_t reserved;
  std::int64_t iterations;
};
static_assert(sizeof(OrbitHeader) == 24);

constexpr std::array<char, 8> kOrbitMagic = {'T', 'S', 'R', 'O', 'R', 'B', '0', '1'};

/// What the orbit depends on.
base::Bytes identity_of(const deep::Place& place) {
  return base::to_bytes(place.center_re, place.center_im, place.iterations,
                        deep::orbit_bits(place));
}

std::optional<OrbitHeader> read_header(const base::InputFile& file) {
  OrbitHeader header{};
  if (file.size_bytes() < sizeof(header)) return std::nullopt;
  file.read_at(0, std::as_writable_bytes(std::span(&header, 1)));
  return header.magic == kOrbitMagic ? std::optional(header) : std::nullopt;
}

std::optional<deep::ReferenceOrbit> read_checked(const std::string& path,
                                                 const deep::Place& place) {
  const base::InputFile file(path);
  const auto header = read_header(file);
  if (!header) return std::nullopt;
  base::Bytes body(file.size_bytes() - sizeof(OrbitHeader));
  file.read_at(sizeof(OrbitHeader), body);
  if (codec::crc32c(body) != header->checksum) return std::nullopt;
  base::ByteReader in(body);
  if (in.get<base::Bytes>() != identity_of(place)) return std::nullopt;
  return in.get<deep::ReferenceOrbit>();
}

}  // namespace

std::string orbit_path(const std::string& output) {
  return output + ".orbit";
}

std::optional<deep::ReferenceOrbit> read_orbit(const std::string& path, const deep::Place& place) {
  if (!base::exists(path)) return std::nullopt;
  try {
    return read_checked(path, place);
  } catch (const base::Error&) {  // it is computed again
    return std::nullopt;
  }
}

void write_orbit(const std::string& path, const deep::Place& place,
                 const deep::ReferenceOrbit& orbit) {
  const base::Bytes body = base::to_bytes(identity_of(place), orbit);
  const OrbitHeader header{kOrbitMagic, codec::crc32c(body), 0, orbit.length()};
  base::PosixFile file(path);
  file.write(std::as_bytes(std::span(&header, 1)));
  file.write(body);
  file.close();
}

std::optional<std::int64_t> orbit_iterations(const std::string& path) {
  try {
    const auto header = read_header(base::InputFile(path));
    return header ? std::optional(header->iterations) : std::nullopt;
  } catch (const base::Error&) {
    return std::nullopt;
  }
}

}  // namespace tessera::render
