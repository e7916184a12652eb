#include "post/film/key_frames.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/file/posix_file.hpp"
#include "base/read_number.hpp"
#include "base/text.hpp"
#include "deep/widths.hpp"
#include "job/image/resolution.hpp"
#include "job/values.hpp"
#include "plane/matrix.hpp"
#include "post/job_of_file.hpp"
#include "store/image/parts.hpp"

namespace tessera::post {
namespace {

/// Widths have 40 digits; those of files that were rendered one by one may have fewer.
constexpr double kSameZoom = 1e-6;
/// Entries of matrices are rounded; the angle between two of them is in degrees.
constexpr double kSameTurn = 1e-9;
constexpr std::size_t kNumberDigits = 4;

/// 7 for "zoom-0007.h5" of "zoom.h5"; -1 for other names.
std::int64_t number_of(const std::string& name, const std::filesystem::path& input) {
  const std::string before = input.stem().string() + "-";
  const std::string after = input.extension().string();
  if (name.size() < before.size() + kNumberDigits + after.size()) return -1;
  if (!name.starts_with(before) || !name.ends_with(after)) return -1;
  const std::string digits = name.substr(before.size(), name.size() - before.size() - after.size());
  if (digits.size() > 9 || digits.starts_with('-')) return -1;
  return base::read_integer(digits).value_or(-1);
}

/// How many files there are, if none is missing: the largest number and one.
std::int64_t count_files(const std::string& input) {
  std::int64_t last = -1;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(base::folder_of(input), error)) {
    last = std::max(last, number_of(entry.path().filename().string(), input));
  }
  if (last >= 0) return last + 1;
  throw base::missing_error("{}: there is no {}; tessera render --frames makes such files", input,
                            job::numbered_path(input, 0));
}

void check_complete(const std::string& path, std::int64_t all) {
  if (base::exists(path)) return;
  const bool begun = !store::unfinished_image(path).empty();
  throw base::usage_error("{}: {}; the zoom has {}, and tessera render --frames renders the rest",
                          path, begun ? "is not complete" : "is missing",
                          base::count_of(all, "image"));
}

struct Key {
  job::RenderJob job;
  std::string fingerprint;
  std::int64_t of = 0;  ///< images of its zoom, as the file says; 0 if it does not
};

/// Opens an image, and adds its layout to `facts`.
Key read_key(const std::string& path, const job::FilmJob& job, KeyFacts& facts) {
  const auto reader = store::open_image(path);
  if (reader->attribute("status") != "complete") {
    throw base::usage_error("{}: is not complete", path);
  }
  std::tie(facts.field, facts.type) = choose_field(*reader, job.field);
  check_shading(reader->header(), job, path);
  const base::ImageSize chunk = reader->header().chunk_px();
  facts.chunk_px = {std::max(facts.chunk_px.width, chunk.width),
                    std::max(facts.chunk_px.height, chunk.height)};
  facts.alongside_bytes =
      std::max(facts.alongside_bytes, ChunkReader::widest_alongside(reader->header(), facts.field));
  const std::string of = reader->attribute("frames");
  return {job_of(*reader, path), reader->attribute("fingerprint"),
          of.empty() ? 0 : base::parse_integer(of, path + ": attribute frames", 1, 1'000'000)};
}

void check_same(const std::string& path, const Key& key, const std::string& first_path,
                const Key& first) {
  const auto refuse = [&](std::string_view what) {
    throw base::usage_error("{}: has {} than {}; a film needs images of one zoom", path, what,
                            first_path);
  };
  const job::ImageSpec& image = key.job.image;
  const job::ImageSpec& other = first.job.image;
  if (job::normalized_point(key.job.center_text) != job::normalized_point(first.job.center_text)) {
    refuse("another centre");
  }
  if (image.size_px != other.size_px) refuse("another size");
  if (image.formula != other.formula) refuse("another formula");
  if (image.iterations != other.iterations) refuse("other iterations");
  if (image.bailout != other.bailout) refuse("another bailout");
  if (key.job.fields != first.job.fields) refuse("other fields");
}

double zoom_to(const std::string& path, const Key& key, const Key& before) {
  const double zoom = deep::ratio_of_widths(before.job.width_text, key.job.width_text);
  if (zoom > 1) return zoom;
  throw base::usage_error("{}: is not narrower than the image before it", path);
}

/// The angle in degrees by which the image `key` is turned against `before`.
double turn_to(const std::string& path, const Key& key, const Key& before) {
  const plane::Matrix& m = key.job.image.matrix;
  const plane::Matrix& of = before.job.image.matrix;
  if (m == of) return 0;
  const double size = of.a * of.d - of.b * of.c;
  const plane::Matrix step{(of.d * m.a - of.b * m.c) / size, (of.d * m.b - of.b * m.d) / size,
                           (of.a * m.c - of.c * m.a) / size, (of.a * m.d - of.c * m.b) / size};
  const double most = kSameTurn * plane::largest_stretch(m) * plane::largest_stretch(of);
  if (std::abs(step.a - step.d) > most || std::abs(step.b + step.c) > most) {
    throw base::usage_error(
        "{}: has a matrix that is not that of the image before it, turned; a film needs images of "
        "one zoom",
        path);
  }
  return std::atan2(step.c, step.a) * 180 / std::numbers::pi;
}

/// Sets what leads from an image to the next, or compares it with that of the images before.
void add_step(const std::string& path, const Key& key, const Key& before, bool first,
              KeyFacts& facts) {
  const double zoom = zoom_to(path, key, before);
  const double turn_deg = turn_to(path, key, before);
  if (first) {
    facts.zoom = zoom;
    facts.turn_deg = turn_deg;
  }
  if (std::abs(zoom / facts.zoom - 1) > kSameZoom) {
    throw base::usage_error("{}: is narrower than the image before it by {}, not by {}", path, zoom,
                            facts.zoom);
  }
  if (std::abs(turn_deg - facts.turn_deg) > kSameTurn) {
    throw base::usage_error(
        "{}: is turned against the image before it by {:.6g} degrees, not {:.6g}", path, turn_deg,
        facts.turn_deg);
  }
}

}  // namespace

KeyFacts find_keys(const job::FilmJob& job) {
  std::int64_t count = count_files(job.input);
  KeyFacts facts;
  std::optional<Key> first, before;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string path = job::numbered_path(job.input, i);
    check_complete(path, count);
    Key key = read_key(path, job, facts);
    count = std::max(count, key.of);
    if (first) {
      check_same(path, key, facts.paths.front(), *first);
      add_step(path, key, *before, i == 1, facts);
    } else {
      first = key;
    }
    facts.paths.push_back(path);
    facts.fingerprints.push_back(key.fingerprint);
    before = std::move(key);
  }
  if (count < 2) throw base::usage_error("{}: a film needs two images or more", facts.paths[0]);
  const job::ImageSpec& last = before->job.image;
  facts.size_px = last.size_px;
  facts.iterations = last.iterations;
  facts.beyond_f64 = job::is_beyond_f64(before->job);
  return facts;
}

namespace {

job::PerField<ChunkReader*> readers_of(job::PerField<std::optional<ChunkReader>>& beside,
                                       const store::ImageReader& reader,
                                       const std::vector<job::Field>& fields) {
  job::PerField<ChunkReader*> readers;
  for (const job::Field field : fields) readers[field] = &beside[field].emplace(reader, field);
  return readers;
}

}  // namespace

KeyFrame::KeyFrame(const std::string& path, job::Field field, const std::vector<job::Field>& more)
    : reader(store::open_image(path)),
      chunks(*reader, field),
      shaded(chunks, readers_of(beside, *reader, more)) {}

std::shared_ptr<KeyFrame> KeyFrames::open(std::int64_t key) {
  const std::scoped_lock lock(mutex_);
  auto known = std::ranges::find(open_, key, &decltype(open_)::value_type::first);
  if (known == open_.end()) {
    const std::string& path = facts_.paths[static_cast<std::size_t>(key)];
    open_.emplace_front(key, std::make_shared<KeyFrame>(path, facts_.field, more_));
  } else {
    open_.splice(open_.begin(), open_, known);
  }
  while (open_.size() > max_open_) open_.pop_back();
  return open_.front().second;
}

}  // namespace tessera::post
