#include "reduce/input/key_sample.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "base/bytes.hpp"
#include "reduce/input/piece_reader.hpp"
#include "reduce/input/presence.hpp"
#include "statistics/order/order_passes.hpp"

namespace tessera::reduce {
namespace {

using statistics::kSampleRun;
using statistics::kSampleRuns;

/// Chunks that are sampled of an array: a chunk is inflated as a whole.
constexpr std::int64_t kSampleChunks = 64;

std::vector<statistics::ElementKey> keys_of(std::span<const std::byte> elements,
                                            const store::ArrayInfo& array) {
  const base::ElementType type = array.type;
  std::optional<PresentElements> present;
  if (array.missing) elements = present.emplace(type, *array.missing).take(elements);
  const statistics::NumberKeys numbers = statistics::number_keys(type);
  std::vector<statistics::ElementKey> keys;
  statistics::for_each_key(elements, type, [&](statistics::ElementKey key) {
    if (numbers.contain(key)) keys.push_back(key);
  });
  return keys;
}

std::vector<statistics::WeightedKey> weighted_keys_of(std::span<const std::byte> pairs,
                                                      const store::ArrayInfo&) {
  std::vector<statistics::WeightedKey> keys;
  statistics::for_each_weighted(pairs, [&](std::size_t, double x, double weight) {
    keys.push_back({statistics::element_key(x), weight});
  });
  return keys;
}

/// Key: of an element, or of a pair, which is one with its last dimension.
template <class Key>
class KeySampler {
 public:
  using Sample = std::vector<std::vector<Key>>;
  using KeysOf = std::vector<Key> (*)(std::span<const std::byte>, const store::ArrayInfo&);

  /// `of_pairs`: the last dimension of the array is that of pairs.
  KeySampler(const store::ArraySource& source, KeysOf keys_of, bool of_pairs)
      : source_(source),
        keys_of_(keys_of),
        shape_(source.info().shape),
        bytes_each_(base::element_bytes(source.info().type)) {
    if (!of_pairs) return;
    bytes_each_ *= static_cast<std::size_t>(shape_.back());
    shape_.pop_back();
  }

  Sample read() { return source_.chunk_shape().empty() ? read_runs() : read_chunks(); }

 private:
  /// A place in stratum `number` of `strata` of `count` things.
  std::int64_t place_in(std::int64_t number, std::int64_t strata, std::int64_t count) {
    const double each = static_cast<double>(count) / static_cast<double>(strata);
    const double at =
        (static_cast<double>(number) + static_cast<double>(random_() >> 11) * 0x1p-53);
    return std::min(count - 1, static_cast<std::int64_t>(at * each));
  }

  Sample read_runs() {
    const plan::Shape& shape = shape_;
    const bool rows = source_.order() == plan::StorageOrder::last_dimension_fastest;
    const std::size_t fastest = rows ? shape.size() - 1 : 0;
    const std::int64_t run = std::min(kSampleRun, shape[fastest]);
    const std::int64_t runs = kSampleRuns * std::min<std::int64_t>(8, kSampleRun / run);
    const std::int64_t elements = plan::element_count(shape);
    Sample sample;
    base::Bytes bytes(static_cast<std::size_t>(run) * bytes_each_);
    for (std::int64_t i = 0; i < runs; ++i) {
      source_.read_box(box_at(place_in(i, runs, elements), fastest, run), bytes);
      sample.push_back(keys_of_(bytes, source_.info()));
    }
    return sample;
  }

  /// The run with element `index`, counted in the order of the file.
  plan::Box box_at(std::int64_t index, std::size_t fastest, std::int64_t run) const {
    const plan::Shape& shape = shape_;
    plan::Box box{plan::Shape(shape.size()), plan::Shape(shape.size(), 1)};
    for (std::size_t k = 0; k < shape.size(); ++k) {
      const std::size_t d = fastest == 0 ? k : shape.size() - 1 - k;
      box.origin[d] = index % shape[d];
      index /= shape[d];
    }
    box.origin[fastest] = std::min(box.origin[fastest], shape[fastest] - run);
    box.extent[fastest] = run;
    if (source_.info().shape.size() > shape.size()) {
      box.origin.push_back(0);
      box.extent.push_back(source_.info().shape.back());
    }
    return box;
  }

  Sample read_chunks() {
    const std::int64_t pieces = source_.pieces().count();
    const std::int64_t chunks = std::clamp<std::int64_t>(pieces / 16, 1, kSampleChunks);
    PieceReader reader(source_, 0);
    Sample sample;
    for (std::int64_t i = 0; i < chunks; ++i) {
      const std::int64_t piece = place_in(i, chunks, pieces);
      sample.push_back(keys_of_(thinned(reader.read(piece, piece + 1), chunks), source_.info()));
    }
    return sample;
  }

  /// So many elements of a chunk that all chunks together give a sample.
  base::Bytes thinned(std::span<const std::byte> elements, std::int64_t chunks) {
    const auto count = static_cast<std::int64_t>(elements.size() / bytes_each_);
    const std::int64_t requested = std::min(count, kSampleRuns * kSampleRun / chunks);
    base::Bytes some;
    for (std::int64_t i = 0; i < requested; ++i) {
      const auto at = static_cast<std::size_t>(place_in(i, requested, count)) * bytes_each_;
      const auto element = elements.subspan(at, bytes_each_);
      some.insert(some.end(), element.begin(), element.end());
    }
    return some;
  }

  const store::ArraySource& source_;
  KeysOf keys_of_;
  plan::Shape shape_;
  std::size_t bytes_each_;
  std::mt19937_64 random_{1};
};

}  // namespace

statistics::KeySample read_key_sample(const store::ArraySource& source) {
  return KeySampler<statistics::ElementKey>(source, keys_of, false).read();
}

statistics::WeightedSample read_weighted_sample(const store::ArraySource& source) {
  return KeySampler<statistics::WeightedKey>(source, weighted_keys_of, true).read();
}

}  // namespace tessera::reduce
