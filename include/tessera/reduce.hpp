// Exact statistics of arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/array.hpp"
#include "tessera/context.hpp"
#include "tessera/error.hpp"
#include "tessera/export.hpp"

namespace tessera::TESSERA_INLINE v0 {

/// What is computed.
struct Reduction {
  /// Options of `tessera reduce`: {{"op", "mean,std"}, {"nan", "skip"}}.
  Options options;
  std::optional<Source> with{};  ///< the second array of dot
  std::vector<Source> by{};      ///< keys of groups
  /// Weights of the elements, for sum, mean, var, std, median, quantile and count. They have the
  /// shape of the array or of its last dimensions, or dimensions with the same names.
  std::optional<Source> weights{};
  std::vector<std::string> weights_dimensions{};  ///< those names, if its file does not say them
};

struct Value {
  std::string text;            ///< decimal, true or false; of an f64 one that reads back to it
  std::optional<double> real;  ///< of an f64
};

struct Result {
  std::string name;           ///< of the operation
  std::vector<Value> values;  ///< one; two for minmax, one for each bin, quantile or rank
  std::vector<std::int64_t> coordinates{};  ///< of argmin and argmax, if there is such an element
  std::vector<double> edges{};              ///< of bins, one more than there are
};

/// A column of a table of groups: key0, count, then the operations.
struct Column {
  std::string name;
  Type type = Type::f64;
  std::vector<std::byte> values;
};

/// Of a communicator, rank 0 has them, and the others nothing.
struct Results {
  std::vector<Result> operations;  ///< of a whole array
  std::vector<Column> columns{};   ///< of groups, which are the rows, in the order of their keys
  std::int64_t elements = 0;       ///< NaN among them
  std::int64_t nans = 0;
  std::int64_t positive_infinities = 0;
  std::int64_t negative_infinities = 0;
  std::int64_t missing = 0;  ///< beside the elements, as attributes of a file say
  Report report{};           ///< empty for an array in memory that cores reduced by themselves

  /// Throws a usage error if there is no such operation.
  TESSERA_EXPORT const Result& operator[](std::string_view name) const;
};

/// Reduces a whole array, or the groups of its elements that have equal keys. An array in memory of
/// up to 64 MiB is reduced without progress, and one of up to 1 MiB without other threads.
TESSERA_EXPORT Results reduce(Context& context, const Source& array, const Reduction& reduction,
                              const Run& run = {});

/// Reduces along the axes that the option `axis` names: each operation gives an array over the
/// others.
TESSERA_EXPORT Results reduce(Context& context, const Source& array, const Reduction& reduction,
                              const PlaceArray& place, const Run& run = {});
TESSERA_EXPORT Results reduce(Context& context, const Source& array, const Reduction& reduction,
                              ArraySink& sink, const Run& run = {});

/// The edges of the bins that the option `bins` of a key stands for, one more than there are bins.
/// Throws as reduce() does.
TESSERA_EXPORT std::vector<double> edges_of_bins(const std::string& bins);

/// Evaluates an expression.
TESSERA_EXPORT Report map(Context& context, const Source& expression, const PlaceArray& place,
                          const Run& run = {});
TESSERA_EXPORT Report map(Context& context, const Source& expression, ArraySink& sink,
                          const Run& run = {});
/// Writes it to a file: options of `tessera map`, such as {{"output", "c.h5:/c"}}.
TESSERA_EXPORT Report map(Context& context, const Source& expression, const Options& options,
                          const Run& run = {});

/// The exact state of a reduction of a part of an array. States of parts merge, in any order, to
/// the state of the whole, bit for bit.
class TESSERA_EXPORT Partial {
 public:
  /// `first`: index of the part's first element in the whole, for argmin and argmax. Throws a usage
  /// error for operations that need several passes, such as median.
  static Partial of(Context& context, const Source& part, const Reduction& reduction,
                    std::int64_t first = 0, const Run& run = {});
  /// For the same version of the library on the same kind of machine; else throws a usage error.
  static Partial from_bytes(std::span<const std::byte> bytes);

  ~Partial();
  Partial(const Partial&);
  Partial(Partial&&) noexcept;
  Partial& operator=(const Partial&);
  Partial& operator=(Partial&&) noexcept;

  std::vector<std::byte> bytes() const;
  /// Throws a usage error if the other one is of another reduction, or of another type.
  void merge(const Partial& other);
  Results results() const;

  struct State;

 private:
  explicit Partial(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tessera::TESSERA_INLINEv0
