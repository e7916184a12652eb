#include "reduce/axes/axis_files.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>

namespace tessera::reduce {

std::vector<store::WrittenArray> arrays_in(const AxisReduction& task, std::size_t file) {
  if (task.files.size() == 1) return task.arrays;
  return {task.arrays[file]};
}

bool names_dataset(const AxisReduction& task, std::size_t file) {
  return std::ranges::find(task.named_files, task.files[file]) != task.named_files.end();
}

bool joins_file(const AxisReduction& task, std::size_t file) {
  return names_dataset(task, file) && !job::is_folder_of_arrays(task.files[file]);
}

template <class Open>
void AxisFiles::open_all(Open open) {
  std::vector<std::size_t> order(task_.files.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t file) {
    return std::filesystem::absolute(base::part_path(task_.files[file])).lexically_normal();
  });
  writers_.resize(order.size());
  for (const std::size_t file : order) writers_[file] = open(file);
}

AxisFiles::AxisFiles(const AxisReduction& task, const base::IsOurs& is_ours) : task_(task) {
  open_all([&](std::size_t file) {
    return std::make_unique<store::ArrayWriter>(task.files[file], arrays_in(task, file),
                                                task.attributes, is_ours);
  });
}

AxisFiles::AxisFiles(const AxisReduction& task, const std::vector<store::ArrayLayout>& layouts)
    : task_(task) {
  open_all([&](std::size_t file) {
    return std::make_unique<store::ArrayWriter>(task.files[file], arrays_in(task, file),
                                                layouts[file]);
  });
}

bool AxisFiles::can_resume(const AxisReduction& task,
                           const std::vector<store::ArrayLayout>& layouts) {
  if (layouts.size() != task.files.size()) return false;
  for (std::size_t file = 0; file < layouts.size(); ++file) {
    if (!store::ArrayWriter::can_resume(task.files[file], arrays_in(task, file), layouts[file])) {
      return false;
    }
  }
  return true;
}

void AxisFiles::join_others() {
  for (std::size_t file = 0; file < writers_.size(); ++file) {
    if (joins_file(task_, file)) writers_[file]->join_others();
  }
}

std::vector<store::ArrayLayout> AxisFiles::layouts() const {
  std::vector<store::ArrayLayout> layouts;
  for (const auto& writer : writers_) layouts.push_back(writer->layout());
  return layouts;
}

std::uint32_t AxisFiles::write(std::size_t array, const plan::Box& box, plan::StorageOrder order,
                               std::span<const std::byte> elements, std::uint32_t checksum) {
  const ArrayPlace place = task_.place_of(array);
  return writers_[place.file]->write(place.number, box, order, elements, checksum);
}

std::uint32_t AxisFiles::write_chunk(std::size_t array, const plan::Shape& origin,
                                     std::span<const std::byte> bytes, std::uint32_t filter_mask,
                                     std::uint32_t checksum) {
  const ArrayPlace place = task_.place_of(array);
  return writers_[place.file]->write_chunk(place.number, origin, bytes, filter_mask, checksum);
}

std::uint32_t AxisFiles::read_checksum(std::size_t array, const plan::Box& box,
                                       std::uint32_t checksum) const {
  const ArrayPlace place = task_.place_of(array);
  return writers_[place.file]->read_checksum(place.number, box, checksum);
}

void AxisFiles::sync() {
  for (const auto& writer : writers_) writer->sync();
}

void AxisFiles::keep() {
  for (const auto& writer : writers_) writer->keep();
}

void AxisFiles::complete() {
  join_others();
  for (const auto& writer : writers_) writer->complete();
}

void AxisFiles::finish(base::Replace replace) {
  for (const auto& writer : writers_) writer->finish(replace);
}

}  // namespace tessera::reduce
