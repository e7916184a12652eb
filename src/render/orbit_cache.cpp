#include "render/orbit_cache.hpp"

#include <array>
#include <utility>

#include "base/bytes.hpp"
#include "base/file/input_file.hpp"
#include "codec/chunk.hpp"

namespace tessera::render {
namespace {

struct OrbitHeader {
  std::array<char, 8> magic;
  std::uint32_t checksum;  ///< CRC-32C of the identity, which follows
  std::uint32_t identity_bytes;
};
static_assert(sizeof(OrbitHeader) == 16);

/// A piece of an orbit: its elements after those of earlier pieces, and where the orbit stood.
struct PieceHeader {
  std::uint32_t checksum;   ///< CRC-32C of what follows
  std::uint32_t complete;   ///< 1 in the last piece of a whole orbit
  std::uint64_t bytes;      ///< that follow
  std::int64_t iterations;  ///< with those of earlier pieces
};
static_assert(sizeof(PieceHeader) == 24);

/// 32 MiB in each copy.
constexpr std::int64_t kManyElements = std::int64_t{1} << 20;

constexpr std::array<char, 8> kOrbitMagic = {'T', 'S', 'R', 'O', 'R', 'B', '0', '2'};

/// What the orbit depends on.
base::Bytes identity_of(const deep::Place& place) {
  const deep::Formula& formula = place.formula;
  return base::to_bytes(place.center_re, place.center_im, place.iterations, deep::orbit_bits(place),
                        kernels::kFormulas[formula.id].name, formula.degree, formula.constant_re,
                        formula.constant_im);
}

/// Reads a file of pieces from the start, as far as it is whole.
class PieceReader {
 public:
  explicit PieceReader(const std::string& path) : file_(path) {
    OrbitHeader header{};
    if (!read(header) || header.magic != kOrbitMagic || header.identity_bytes > left()) return;
    identity_ = read_bytes(header.identity_bytes);
    valid_ = codec::crc32c(identity_) == header.checksum;
  }

  bool valid() const { return valid_; }
  const base::Bytes& identity() const { return identity_; }
  std::uint64_t at() const { return at_; }

  /// The next header whose piece is not cut off. After a power cut, a file may end with zeros.
  std::optional<PieceHeader> next() {
    PieceHeader header{};
    if (!read(header)) return std::nullopt;
    if (header.bytes > 0 && header.bytes <= left()) return header;
    at_ -= sizeof(header);
    return std::nullopt;
  }
  void skip(const PieceHeader& header) { at_ += header.bytes; }
  /// Its bytes, if they are as they were written.
  std::optional<base::Bytes> bytes_of(const PieceHeader& header) {
    base::Bytes bytes = read_bytes(header.bytes);
    if (codec::crc32c(bytes) == header.checksum) return bytes;
    at_ -= header.bytes + sizeof(header);
    return std::nullopt;
  }

 private:
  std::uint64_t left() const { return file_.size_bytes() - at_; }
  template <class Header>
  bool read(Header& header) {
    if (left() < sizeof(header)) return false;
    file_.read_at(at_, std::as_writable_bytes(std::span(&header, 1)));
    at_ += sizeof(header);
    return true;
  }
  base::Bytes read_bytes(std::uint64_t count) {
    base::Bytes bytes(count);
    file_.read_at(at_, bytes);
    at_ += count;
    return bytes;
  }

  base::InputFile file_;
  base::Bytes identity_;
  std::uint64_t at_ = 0;
  bool valid_ = false;
};

/// Calls work(first vector, second vector) for the lists of elements of two orbits.
template <class First, class Second, class Work>
void for_each_list(First& a, Second& b, const Work& work) {
  work(a.re, b.re);
  work(a.im, b.im);
  work(a.re_low, b.re_low);
  work(a.im_low, b.im_low);
}

void append(deep::ReferenceOrbit& orbit, const deep::ReferenceOrbit& piece) {
  for_each_list(orbit, piece, [](auto& all, const auto& more) {
    all.insert(all.end(), more.begin(), more.end());
  });
  orbit.tiny.insert(orbit.tiny.end(), piece.tiny.begin(), piece.tiny.end());
  orbit.escaped = piece.escaped;
  orbit.first = piece.first;
  orbit.periodic = piece.periodic;
  orbit.bits = piece.bits;
}

/// The elements from `first` on.
deep::ReferenceOrbit piece_of(const deep::ReferenceOrbit& orbit, std::int64_t first) {
  deep::ReferenceOrbit piece;
  for_each_list(piece, orbit, [first](auto& some, const auto& all) {
    some.assign(all.begin() + first, all.end());
  });
  for (const auto& tiny : orbit.tiny) {
    if (tiny.m >= first) piece.tiny.push_back(tiny);
  }
  piece.escaped = orbit.escaped;
  piece.first = orbit.first;
  piece.periodic = orbit.periodic;
  piece.bits = orbit.bits;
  return piece;
}

struct StoredOrbit {
  deep::ReferenceOrbit orbit;
  deep::OrbitUnderWay::State state;
  std::uint64_t end_byte = 0;
};

std::optional<StoredOrbit> read_pieces(const std::string& path, const deep::Place& place) {
  PieceReader pieces(path);
  if (!pieces.valid() || pieces.identity() != identity_of(place)) return std::nullopt;
  StoredOrbit stored;
  while (const auto header = pieces.next()) {
    const auto bytes = pieces.bytes_of(*header);
    if (!bytes) break;
    base::ByteReader in(*bytes);
    append(stored.orbit, in.get<deep::ReferenceOrbit>());
    in.read(stored.state);
    stored.end_byte = pieces.at();
  }
  return stored.end_byte > 0 ? std::optional(std::move(stored)) : std::nullopt;
}

std::optional<StoredOrbit> find_pieces(const std::string& path, const deep::Place& place) {
  if (path.empty() || !base::exists(path)) return std::nullopt;
  try {
    return read_pieces(path, place);
  } catch (const base::Error&) {  // it is computed again
    return std::nullopt;
  }
}

template <class Header>
std::span<const std::byte> bytes_of(const Header& header) {
  return std::as_bytes(std::span(&header, 1));
}

}  // namespace

std::string orbit_path(const std::string& output) {
  return base::beside(output, ".orbit");
}

OrbitFile::OrbitFile(std::string path, const deep::Place& place)
    : path_(std::move(path)), place_(place) {}

bool OrbitFile::restore(deep::OrbitUnderWay& orbit) {
  auto stored = find_pieces(path_, place_);
  if (!stored) return false;
  end_byte_ = stored->end_byte;
  elements_ = stored->orbit.length() + 1;
  orbit.continue_from(std::move(stored->orbit), stored->state);
  return true;
}

void OrbitFile::open() {
  file_.emplace(path_, base::PosixFile::Start::as_it_is);
  file_->cut(end_byte_);
  if (end_byte_ > 0) return;
  const base::Bytes identity = identity_of(place_);
  const OrbitHeader header{kOrbitMagic, codec::crc32c(identity),
                           static_cast<std::uint32_t>(identity.size())};
  file_->write(bytes_of(header));
  file_->write(identity);
}

void OrbitFile::save(const deep::OrbitUnderWay& orbit) {
  append(orbit);
  if (file_) file_->sync();
}

void OrbitFile::save_if_many(const deep::OrbitUnderWay& orbit) {
  if (orbit.orbit().length() - elements_ >= kManyElements) append(orbit);
}

void OrbitFile::append(const deep::OrbitUnderWay& orbit) {
  const std::int64_t elements = orbit.orbit().length() + 1;
  if (path_.empty() || elements == elements_) return;
  if (!file_) open();
  const base::Bytes bytes = base::to_bytes(piece_of(orbit.orbit(), elements_), orbit.state());
  const PieceHeader header{codec::crc32c(bytes), orbit.complete() ? 1U : 0U, bytes.size(),
                           orbit.orbit().length()};
  file_->write(bytes_of(header));
  file_->write(bytes);
  elements_ = elements;
}

std::optional<std::int64_t> orbit_iterations(const std::string& path) {
  try {
    PieceReader pieces(path);
    if (!pieces.valid()) return std::nullopt;
    std::int64_t iterations = 0;
    while (const auto header = pieces.next()) {
      iterations = header->iterations;
      pieces.skip(*header);
    }
    return iterations;
  } catch (const base::Error&) {
    return std::nullopt;
  }
}

}  // namespace tessera::render
