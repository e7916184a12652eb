// The files of a reduction along axes or of `tessera map`: all arrays in one file, or each in its
// own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "reduce/axes/axis_work.hpp"
#include "store/arrays/array_writer.hpp"

namespace tessera::reduce {

/// The arrays of the output, one per operation or expression, in their order.
std::vector<store::WrittenArray> arrays_of(const AxisReduction& task);

/// As store::ArrayWriter, by the number of the array.
class AxisFiles {
 public:
  /// Creates the files.
  explicit AxisFiles(const AxisReduction& task);
  /// Resumes with the unfinished files, for which can_resume() returned true.
  AxisFiles(const AxisReduction& task, const std::vector<store::ArrayLayout>& layouts);
  static bool can_resume(const AxisReduction& task, const std::vector<store::ArrayLayout>& layouts);

  std::vector<store::ArrayLayout> layouts() const;
  /// By file.
  const store::ArrayWriter& writer(std::size_t file) const { return *writers_[file]; }

  std::uint32_t write(std::size_t array, const plan::Box& box, plan::StorageOrder order,
                      std::span<const std::byte> elements, std::uint32_t checksum);
  std::uint32_t write_chunk(std::size_t array, const plan::Shape& origin,
                            std::span<const std::byte> bytes, std::uint32_t filter_mask,
                            std::uint32_t checksum);
  std::uint32_t read_checksum(std::size_t array, const plan::Box& box,
                              std::uint32_t checksum) const;
  void sync();
  void keep();
  void complete();
  void finish(base::Replace replace);

 private:
  const AxisReduction& task_;
  std::vector<std::unique_ptr<store::ArrayWriter>> writers_;
};

}  // namespace tessera::reduce
