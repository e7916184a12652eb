#include "reduce/fill_remarks.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "base/printable.hpp"
#include "base/run.hpp"
#include "statistics/operations.hpp"

namespace tessera::reduce {
namespace {

/// netCDF's default fill value of the type, as a key. Nothing for bytes, which use all values.
std::optional<statistics::OrderKey> default_fill(base::ElementType type) {
  using enum base::ElementType;
  constexpr double kFill = 9.9692099683868690e+36;
  switch (type) {
    case i16:
      return statistics::key_of(std::int64_t{-32767});
    case i32:
      return statistics::key_of(std::int64_t{-2147483647});
    case i64:
      return statistics::key_of(std::int64_t{-9223372036854775806});
    case u16:
      return statistics::key_of(std::uint64_t{65535});
    case u32:
      return statistics::key_of(std::uint64_t{4294967295});
    case u64:
      return statistics::key_of(std::uint64_t{18446744073709551614U});
    case f32:
      return statistics::key_of(static_cast<double>(static_cast<float>(kFill)));
    case f64:
      return statistics::key_of(kFill);
    default:
      return std::nullopt;
  }
}

/// NumPy's "not a time", as xarray writes it.
constexpr std::int64_t kNotATime = std::numeric_limits<std::int64_t>::min();

bool has_times(const store::ArraySource& source) {
  return source.info().type == base::ElementType::i64 &&
         std::ranges::any_of(source.texts(), [](const store::TextAttribute& text) {
           return text.first == "units" && text.second.find(" since ") != std::string::npos;
         });
}

void tell_not_a_time(const store::ArraySource& source, const statistics::Partial& all) {
  if (!has_times(source) || all.least != statistics::key_of(kNotATime)) return;
  base::log("reduce: {}: {} counts; as a time it is NaT (--missing {})",
            base::printable(source.info().name), kNotATime, kNotATime);
}

void tell_default_fill(const store::ArraySource& source, const statistics::ReductionSpec& spec,
                       const statistics::Partial& all) {
  const store::ArrayInfo& array = source.info();
  const bool is_packed =
      array.unpacking && (array.unpacking->scale_factor || array.unpacking->add_offset);
  const auto fill = default_fill(array.type);
  if (is_packed || !fill || all.elements == 0 || array.kind.find("HDF5") == array.kind.npos ||
      (all.least != *fill && all.greatest != *fill)) {
    return;
  }
  const job::Operation side = all.greatest == *fill ? job::Operation::max : job::Operation::min;
  const auto values = statistics::answer(side, all, spec, 0);
  base::log("reduce: {}: {} counts; it is netCDF's default fill (--missing {})",
            base::printable(array.name), values.front().text, values.front().text);
}

}  // namespace

void tell_fill(const store::ArraySource& source, const statistics::ReductionSpec& spec,
               const statistics::Partial& all) {
  tell_default_fill(source, spec, all);
  tell_not_a_time(source, all);
}

}  // namespace tessera::reduce
