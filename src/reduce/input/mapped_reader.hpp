// Reads the inputs of an expression into memory that a device copies from, for a device that
// evaluates the expression itself.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "device/reducer.hpp"
#include "reduce/input/mapped_source.hpp"
#include "statistics/elements.hpp"

namespace tessera::reduce {

/// Not thread-safe: one per worker thread.
class MappedReader {
 public:
  /// A reader for the source's expression of that number; null if the source has none, or the
  /// device does not evaluate it. `consecutive`: elements that are read one after the other
  /// follow each other in the array, too, in C order.
  static std::unique_ptr<MappedReader> open(const store::ArraySource& source,
                                            const device::ElementReducer& reducer, bool consecutive,
                                            std::size_t number = 0);
  /// A reader for all expressions of a source that has several; null if the device does not
  /// evaluate them together.
  static std::unique_ptr<MappedReader> open_joined(const MappedSource& source,
                                                   const device::ElementReducer& reducer);

  /// Bytes of memory for so many elements of the expression.
  std::uint64_t bytes_for(std::int64_t elements) const;
  /// The elements that follow are read to `memory`. Returns for how many elements it has room.
  std::int64_t use(std::span<std::byte> memory);

  /// Reads the inputs of a piece. `place`: number of its first element in the memory. Throws the
  /// errors of PieceReader.
  void read(std::int64_t piece, std::int64_t place);
  /// The same for a box, in the given order of elements.
  void read(const plan::Box& box, plan::StorageOrder order, std::int64_t place);

  /// The inputs that are read.
  const std::vector<bool>& requested() const { return requested_; }
  /// A function that copies the elements of a piece, or of a box, if they are read for several
  /// readers.
  MappedSource::Visit copier(std::int64_t piece, std::int64_t place);
  MappedSource::Visit copier(const plan::Box& box, std::int64_t place);

  /// Elements that were read one after the other, from that place on.
  statistics::MappedElements elements(std::int64_t place, std::int64_t count) const;

 private:
  MappedReader(const MappedSource& source, const expression::Steps& steps,
               const device::ElementReducer& reducer, bool consecutive);
  statistics::MappedArray describe(const expression::StepArray& array,
                                   const device::ElementReducer& reducer, bool consecutive) const;
  MappedSource::Visit copy_to(std::int64_t place) const;

  const MappedSource& source_;
  const expression::Steps& steps_;
  std::vector<bool> requested_;  ///< inputs that are read
  std::vector<statistics::MappedArray> arrays_;
  std::uint64_t bytes_each_ = 0;
  std::span<std::byte> memory_;
  std::int64_t room_ = 0;  ///< elements of each array in the memory
  std::int64_t index_of_place_0_ = 0;
};

}  // namespace tessera::reduce
