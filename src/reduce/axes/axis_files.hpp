// The files of a reduction along axes or of `tessera map`: all arrays in one file, or each in its
// own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "reduce/axes/axis_target.hpp"
#include "reduce/axes/axis_work.hpp"
#include "store/arrays/array_writer.hpp"

namespace tessera::reduce {

/// Whether the user has named the dataset in this file: `--output FILE.h5:/NAME`.
bool names_dataset(const AxisReduction& task, std::size_t file);
/// Whether it joins what else is in the file then.
bool joins_file(const AxisReduction& task, std::size_t file);

/// The arrays in one file.
std::vector<store::WrittenArray> arrays_in(const AxisReduction& task, std::size_t file);

/// As store::ArrayWriter, by the number of the array.
class AxisFiles : public AxisTarget {
 public:
  /// Creates the files. `is_ours`: what may be replaced under the names of the unfinished ones.
  AxisFiles(const AxisReduction& task, const base::IsOurs& is_ours);
  /// Resumes with the unfinished files, for which can_resume() returned true.
  AxisFiles(const AxisReduction& task, const std::vector<store::ArrayLayout>& layouts);
  static bool can_resume(const AxisReduction& task, const std::vector<store::ArrayLayout>& layouts);

  std::vector<store::ArrayLayout> layouts() const override;
  /// By file.
  const store::ArrayWriter& writer(std::size_t file) const { return *writers_[file]; }

  std::uint32_t write(std::size_t array, const plan::Box& box, plan::StorageOrder order,
                      std::span<const std::byte> elements, std::uint32_t checksum) override;
  std::uint32_t write_chunk(std::size_t array, const plan::Shape& origin,
                            std::span<const std::byte> bytes, std::uint32_t filter_mask,
                            std::uint32_t checksum) override;
  std::uint32_t read_checksum(std::size_t array, const plan::Box& box,
                              std::uint32_t checksum) const override;
  void sync() override;
  void keep();
  void complete();
  /// As store::ArrayWriter::made(), by file.
  const std::string& made(std::size_t file) const { return writers_[file]->made(); }
  void finish(base::Replace replace);

 private:
  /// Arrays that were given the name of a dataset join what else is in an existing file.
  void join_others();
  /// In the order of their names: of two runs with the same files, one gets all locks.
  template <class Open>
  void open_all(Open open);

  const AxisReduction& task_;
  std::vector<std::unique_ptr<store::ArrayWriter>> writers_;
};

}  // namespace tessera::reduce
