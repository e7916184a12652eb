#include "render/orbit_cache.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/bytes.hpp"
#include "base/file/input_file.hpp"
#include "base/file/record_marks.hpp"
#include "base/file/unfinished_file.hpp"

namespace tessera::render {
namespace {

/// 32 MiB in each copy.
// crossed by: takes_a_long_orbit_in_pieces
constexpr std::int64_t kManyElements = std::int64_t{1} << 20;

/// The numbers that the orbit depends on.
base::Bytes identity_of(const deep::Place& place) {
  const deep::Formula& formula = place.formula;
  return base::to_bytes(place.center_re, place.center_im, place.iterations, deep::orbit_bits(place),
                        kernels::kFormulas[formula.id].name, formula.degree, formula.constant_re,
                        formula.constant_im, deep::orbit_limits(place).wide);
}

/// All but the lists.
void set_facts(deep::ReferenceOrbit& orbit, const deep::ReferenceOrbit& from) {
  orbit.escaped = from.escaped;
  orbit.first = from.first;
  orbit.periodic = from.periodic;
  orbit.exhausted = from.exhausted;
  orbit.bits = from.bits;
  orbit.exact = from.exact;
  orbit.exact_second = from.exact_second;
}

void append(deep::ReferenceOrbit& orbit, const deep::ReferenceOrbit& piece) {
  const auto add = [](auto& all, const auto& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  deep::ReferenceOrbit::for_each_list(add, orbit, piece);
  orbit.tiny.insert(orbit.tiny.end(), piece.tiny.begin(), piece.tiny.end());
  set_facts(orbit, piece);
}

/// The elements from `first` on.
deep::ReferenceOrbit piece_of(const deep::ReferenceOrbit& orbit, std::int64_t first) {
  deep::ReferenceOrbit piece;
  const auto copy = [first](auto& some, const auto& all) {
    if (!all.empty()) some.assign(all.begin() + first, all.end());
  };
  deep::ReferenceOrbit::for_each_list(copy, piece, orbit);
  for (const auto& tiny : orbit.tiny) {
    if (tiny.m >= first) piece.tiny.push_back(tiny);
  }
  set_facts(piece, orbit);
  return piece;
}

struct StoredOrbit {
  deep::ReferenceOrbit orbit;
  deep::PartialOrbit::State state;
  base::RecordFileHead file;
  std::uint64_t end_byte = 0;
};

/// Each record is a piece of the orbit: its elements after those of earlier pieces, and where the
/// orbit stood. Those after a damaged one are left.
std::optional<StoredOrbit> read_pieces(const std::string& path, const deep::Place& place) {
  const base::InputFile file(path);
  const base::RecordReader pieces(file, base::kOrbitMark);
  if (!pieces.head() || pieces.head()->identity != identity_of(place)) return std::nullopt;
  StoredOrbit stored{.orbit = {}, .state = {}, .file = *pieces.head()};
  for (auto piece = pieces.at(stored.file.end_byte); piece; piece = pieces.at(stored.end_byte)) {
    const auto bytes = pieces.read(*piece);
    if (!bytes) break;
    base::ByteReader in(*bytes);
    append(stored.orbit, in.get<deep::ReferenceOrbit>());
    in.read(stored.state);
    stored.end_byte = piece->end_byte();
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

bool is_free_or_orbit(const std::string& path) {
  std::error_code unknown;
  const auto status = std::filesystem::symlink_status(path, unknown);
  if (!std::filesystem::exists(status)) return true;
  const auto has_mark = [&] {
    return base::has_mark(base::front_of(path, base::kMarkBytes), base::kOrbitMark);
  };
  return std::filesystem::is_regular_file(status) && (base::is_left_over(path) || has_mark());
}

}  // namespace

std::string orbit_path(const std::string& output) {
  return base::beside(output, ".orbit");
}

void remove_orbit(const std::string& path) {
  if (!path.empty() && is_free_or_orbit(path)) base::remove_file(path);
}

OrbitFile::OrbitFile(std::string path, const deep::Place& place)
    : path_(is_free_or_orbit(path) ? std::move(path) : std::string()), place_(place) {}

bool OrbitFile::restore(deep::PartialOrbit& orbit) {
  auto stored = find_pieces(path_, place_);
  if (!stored) return false;
  head_ = std::move(stored->file);
  end_byte_ = stored->end_byte;
  elements_ = stored->orbit.length() + 1;
  orbit.continue_from(std::move(stored->orbit), stored->state);
  return true;
}

void OrbitFile::open() {
  file_.emplace(path_, base::PosixFile::Start::as_it_is);
  if (head_) {
    pieces_.emplace(*file_, *head_, end_byte_);
  } else {
    pieces_.emplace(*file_, base::kOrbitMark, identity_of(place_));
  }
}

void OrbitFile::save(const deep::PartialOrbit& orbit) {
  append(orbit);
  if (file_) file_->sync();
}

void OrbitFile::save_if_many(const deep::PartialOrbit& orbit) {
  if (orbit.orbit().length() - elements_ >= kManyElements) append(orbit);
}

void OrbitFile::append(const deep::PartialOrbit& orbit) {
  const std::int64_t elements = orbit.orbit().length() + 1;
  if (path_.empty() || elements == elements_) return;
  if (!file_) open();
  pieces_->append(static_cast<std::uint64_t>(orbit.orbit().length()),
                  base::to_bytes(piece_of(orbit.orbit(), elements_), orbit.state()));
  elements_ = elements;
}

std::optional<std::int64_t> orbit_iterations(const std::string& path) {
  try {
    const base::InputFile file(path);
    const base::RecordReader pieces(file, base::kOrbitMark);
    if (!pieces.head()) return std::nullopt;
    std::int64_t iterations = 0;
    for (auto piece = pieces.at(pieces.head()->end_byte); piece;
         piece = pieces.at(piece->end_byte())) {
      iterations = static_cast<std::int64_t>(piece->tag);
    }
    return iterations;
  } catch (const base::Error&) {
    return std::nullopt;
  }
}

}  // namespace tessera::render
