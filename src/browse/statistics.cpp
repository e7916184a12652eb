#include "browse/statistics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "comm/world.hpp"
#include "reduce/axes/memory_sink.hpp"
#include "reduce/reduce.hpp"
#include "run/context.hpp"

namespace tessera::browse {
namespace {

using report::Json;

constexpr int kBins = 64;
constexpr std::int64_t kMaxProfile = 1024;
constexpr std::int64_t kMaxSide = std::int64_t{1} << 24;  ///< of a rectangle with profiles

/// The elements of the rectangle, in the order of the array's dimensions; at all indices of the
/// dimension `through`, if there is one.
class RectangleReader : public job::ArrayReader {
 public:
  RectangleReader(std::shared_ptr<const OpenArray> array, const Plane& plane,
                  const base::PixelRect& rect, std::optional<std::size_t> through = {})
      : array_(std::move(array)), first_(plane.box(rect)) {
    dimensions_ = {plane.columns};
    if (plane.rows) dimensions_.push_back(*plane.rows);
    if (through) {
      dimensions_.push_back(*through);
      first_.origin[*through] = 0;
      first_.extent[*through] = plane.shape[*through];
    }
    std::ranges::sort(dimensions_);
    const plan::Shape chunk = array_->source().chunk_shape();
    for (const std::size_t d : dimensions_) {
      if (!chunk.empty()) chunk_.push_back(chunk[d]);
    }
  }

  /// Numbers of the dimensions here, but for that one.
  std::string all_but(std::size_t dimension) const {
    std::vector<std::size_t> axes;
    for (std::size_t i = 0; i < dimensions_.size(); ++i) {
      if (dimensions_[i] != dimension) axes.push_back(i);
    }
    return fmt::format("{}", fmt::join(axes, ","));
  }

  base::ElementType type() const override { return array_->info().type; }
  /// Values that are no elements; missing floats are NaN.
  std::vector<std::string> missing() const {
    const auto& markers = array_->info().missing;
    if (!markers || base::is_floating(type())) return {};
    std::vector<std::string> texts;
    for (const std::uint64_t bits : {markers->fill, markers->range}) {
      texts.push_back(type() == base::ElementType::u64
                          ? fmt::format("{}", bits)
                          : fmt::format("{}", std::bit_cast<std::int64_t>(bits)));
    }
    return texts;
  }
  plan::Shape shape() const override {
    plan::Shape shape;
    for (const std::size_t d : dimensions_) shape.push_back(first_.extent[d]);
    return shape;
  }
  plan::Shape chunk() const override { return chunk_; }
  void read(std::span<const std::int64_t> origin, std::span<const std::int64_t> extent,
            std::span<std::byte> elements) const override {
    plan::Box box = first_;
    for (std::size_t i = 0; i < dimensions_.size(); ++i) {
      box.origin[dimensions_[i]] += origin[i];
      box.extent[dimensions_[i]] = extent[i];
    }
    array_->read_box(box, elements);
  }

 private:
  std::shared_ptr<const OpenArray> array_;
  plan::Box first_;
  std::vector<std::size_t> dimensions_;  ///< those of the plane
  plan::Shape chunk_;
};

/// One call of the engine.
class Reduce {
 public:
  Reduce(std::shared_ptr<const RectangleReader> reader, std::string name,
         const StatisticsLimits& limits)
      : reader_(std::move(reader)), name_(std::move(name)), limits_(limits) {}

  report::ReduceReport operator()(const std::string& operations, const std::string& axis = "",
                                  reduce::ArraySink* sink = nullptr) const {
    std::vector<job::Given> given = {{"op", operations, "op"}, {"nan", "skip", "nan"}};
    if (!axis.empty()) given.push_back({"axis", axis, "axis"});
    job::ReduceJob job;
    job::apply_options<job::ReduceJob>(job, job::reduce_options(), given);
    job.inputs = {job::input_of(reader_, name_)};
    job.inputs.front().decoding.missing = reader_->missing();
    job.device = "cpu";
    job.threads = limits_.threads;
    job.memory_bytes = limits_.memory_bytes;
    job.quiet = true;
    base::Events nobody;
    comm::World world = comm::World::single();
    run::Context context{world, {limits_.stop, nobody}};
    const base::RunScope scope(context.run);
    std::optional<reduce::ReduceCheckpoints> checkpoints;
    return reduce::reduce(context, job, checkpoints, {.arrays = sink});
  }

 private:
  std::shared_ptr<const RectangleReader> reader_;
  std::string name_;
  const StatisticsLimits& limits_;
};

/// A number, or the text of one that JSON lacks or a page would round.
Json number_json(const report::ReducedValue& value) {
  if (value.real) return std::isfinite(*value.real) ? Json(*value.real) : Json(value.text);
  const bool is_exact =
      Json::accept(value.text) && std::abs(base::parse_real(value.text, "result")) < kGreatestExact;
  return is_exact ? Json::parse(value.text) : Json(value.text);
}

/// The bound of a histogram; away from the others where f8 does not hold it.
double bound_of(const report::ReducedValue& value, double outside) {
  const double bound = value.real ? *value.real : base::parse_real(value.text, "result");
  return std::abs(bound) < kGreatestExact || value.real ? bound : std::nextafter(bound, outside);
}

Json histogram_json(const Reduce& reduce, double least, double greatest) {
  if (least == greatest || !std::isfinite(greatest - least)) return nullptr;
  const report::ReduceReport done =
      reduce(fmt::format("histogram={},{},{}", kBins, least, greatest));
  Json counts = Json::array();
  for (const report::ReducedValue& value : done.operations[0].values) {
    counts.push_back(number_json(value));
  }
  return {{"edges", done.operations[0].edges}, {"counts", std::move(counts)}};
}

/// Means of neighbours, so that at most kMaxProfile are left.
Json profile_json(const std::vector<double>& means) {
  const auto all = static_cast<std::int64_t>(means.size());
  const std::int64_t together = (all + kMaxProfile - 1) / kMaxProfile;
  Json values = Json::array();
  for (std::int64_t first = 0; first < all; first += together) {
    double sum = 0;
    std::int64_t count = 0;
    for (std::int64_t i = first; i < std::min(first + together, all); ++i) {
      const double mean = means[static_cast<std::size_t>(i)];
      if (!std::isfinite(mean)) continue;
      sum += mean;
      ++count;
    }
    values.push_back(count == 0 ? Json(nullptr) : Json(sum / static_cast<double>(count)));
  }
  return {{"together", together}, {"means", std::move(values)}};
}

/// The results of each operation over these axes: one for each index of the dimension that is left.
std::vector<std::vector<double>> values_along(const Reduce& reduce, const std::string& operations,
                                              const std::string& axes) {
  std::vector<std::pair<base::ElementType, base::Bytes>> results;
  results.reserve(4);  // memory that stays where it is
  reduce::MemorySink sink([&](const store::WrittenArray& array) {
    base::Bytes& elements = results.emplace_back(array.type, store::bytes_each(array, 0)).second;
    return reduce::ArrayMemory{elements.data(),
                               {static_cast<std::int64_t>(base::element_bytes(array.type))}};
  });
  reduce(operations, axes, &sink);
  std::vector<std::vector<double>> values;
  for (const auto& [type, elements] : results) {
    values.emplace_back();
    for (std::size_t at = 0; at < elements.size(); at += base::element_bytes(type)) {
      values.back().push_back(number_at(type, elements.data() + at));
    }
  }
  return values;
}

/// Means over that dimension of the rectangle.
Json means_over(const Reduce& reduce, int axis) {
  return profile_json(values_along(reduce, "mean", fmt::format("{}", axis))[0]);
}

Json numbers_json(const std::vector<double>& numbers) {
  Json json = Json::array();
  for (const double number : numbers) {
    json.push_back(std::isfinite(number) ? Json(number) : Json(nullptr));
  }
  return json;
}

Json profile_of_row(const OpenArray& array, const Plane& plane, const base::PixelRect& rect) {
  std::vector<double> row(static_cast<std::size_t>(rect.width));
  array.read(plane, rect, row);
  return profile_json(row);
}

}  // namespace

Json statistics_of(const std::shared_ptr<const OpenArray>& array, const Plane& plane,
                   const base::PixelRect& rect, bool detail, const StatisticsLimits& limits) {
  const Reduce reduce(std::make_shared<RectangleReader>(array, plane, rect), array->info().name,
                      limits);
  const report::ReduceReport counted = reduce("count");
  const std::int64_t missing = counted.nans + counted.missing_fill + counted.missing_range;
  Json json = {{"elements", counted.elements}, {"missing", missing}};
  if (counted.elements == missing) return json;
  const report::ReduceReport done = reduce("min,max,mean,std,median,quantile=0.02,0.98");
  const auto& all = done.operations;
  json["least"] = number_json(all[0].values[0]);
  json["greatest"] = number_json(all[1].values[0]);
  json["mean"] = number_json(all[2].values[0]);
  json["std"] = number_json(all[3].values[0]);
  json["median"] = number_json(all[4].values[0]);
  json["p2"] = number_json(all[5].values[0]);
  json["p98"] = number_json(all[5].values[1]);
  if (!detail) return json;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  json["histogram"] = histogram_json(reduce, bound_of(all[0].values[0], -kInfinity),
                                     bound_of(all[1].values[0], kInfinity));
  if (std::max(rect.width, rect.height) > kMaxSide) return json;
  if (plane.rows) {
    json["columns"] = means_over(reduce, plane.is_turned() ? 1 : 0);
    json["rows"] = means_over(reduce, plane.is_turned() ? 0 : 1);
  } else {
    json["columns"] = profile_of_row(*array, plane, rect);
  }
  return json;
}

Json through_of(const std::shared_ptr<const OpenArray>& array, const Plane& plane,
                const base::PixelRect& rect, std::size_t dimension,
                const StatisticsLimits& limits) {
  const auto reader = std::make_shared<RectangleReader>(array, plane, rect, dimension);
  const bool has_extremes = reader->missing().empty();
  const auto values =
      values_along(Reduce(reader, array->info().name, limits),
                   has_extremes ? "mean,min,max" : "mean", reader->all_but(dimension));
  Json json = {{"dimension", dimension}, {"means", numbers_json(values[0])}};
  if (!has_extremes) return json;
  json["least"] = numbers_json(values[1]);
  json["greatest"] = numbers_json(values[2]);
  return json;
}

}  // namespace tessera::browse
