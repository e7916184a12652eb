#include "store/arrays/array_writer.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/file/file_stamp.hpp"
#include "base/file/input_file.hpp"
#include "base/file/posix_file.hpp"
#include "base/file/unfinished_file.hpp"
#include "base/file/unfinished_folder.hpp"
#include "codec/chunk.hpp"
#include "store/arrays/array_formats.hpp"
#include "store/arrays/hdf5_addition.hpp"
#include "store/arrays/placed_arrays.hpp"
#include "store/outputs.hpp"

namespace tessera::store {

namespace {

/// CRC-32C of the bytes around the arrays. They are few, whatever the size of the arrays.
std::uint32_t checksum_head(const std::string& part, const std::vector<WrittenArray>& arrays,
                            const std::vector<std::uint64_t>& offsets) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const std::size_t bytes = bytes_each(arrays[i], 0);
    if (bytes > 0) taken.emplace_back(offsets[i], offsets[i] + bytes);
  }
  const base::InputFile file(part);
  const std::uint64_t end = file.size_bytes();
  taken.emplace_back(end, end);
  std::ranges::sort(taken);
  std::uint32_t checksum = 0;
  std::uint64_t from = 0;
  for (const auto& [first, behind] : taken) {
    std::vector<std::byte> bytes(first > from ? first - from : 0);
    file.read_at(from, bytes);
    checksum = codec::crc32c(bytes, checksum);
    from = std::max(from, behind);
  }
  return checksum;
}

bool in_chunks(const std::vector<WrittenArray>& arrays) {
  return !arrays.empty() && !arrays.front().chunk.empty();
}

/// ArrayLayout::head
std::uint32_t head_of(const std::string& path, const std::vector<WrittenArray>& arrays,
                      const std::vector<std::uint64_t>& offsets) {
  const ArrayFiles& format = written_files_of(path);
  const std::string made = unfinished_path(path);
  if (format.checksum_head != nullptr) return format.checksum_head(made, arrays);
  return in_chunks(arrays) ? 0 : checksum_head(made, arrays, offsets);
}

}  // namespace

std::string unfinished_path(const std::string& path) {
  return job::is_folder_of_arrays(path) ? base::part_folder(path) : base::part_path(path);
}

std::vector<std::string> element_files(const std::string& path,
                                       const std::vector<WrittenArray>& arrays) {
  const ArrayFiles& format = written_files_of(path);
  const std::string made = unfinished_path(path);
  std::vector<std::string> files;
  for (const WrittenArray& array : arrays) {
    files.push_back(format.element_file == nullptr ? made : format.element_file(made, array));
  }
  return files;
}

void check_array_output(const std::string& path, const std::string& what, bool may_replace) {
  if (job::is_folder_of_arrays(path)) {
    check_output_folder(path, what, may_replace, is_folder_of_zarr);
  } else {
    check_output(path, what, may_replace);
  }
}

bool is_folder_of_zarr(const std::string& folder) {
  bool is_node = false, is_empty = true, has_others = false;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const bool is_document = name == "zarr.json" || name == ".zgroup" || name == ".zarray";
    is_empty = false;
    is_node |= is_document;
    has_others |= !is_document && !name.starts_with(".z") && !entry.is_directory(error);
  }
  return !error && (is_empty || (is_node && !has_others));
}

void take_back_output(const std::string& path) {
  if (job::is_folder_of_arrays(path)) return base::take_back_folder(path);
  base::publish_file(path, base::part_path(path), base::identity_of(path), base::Replace::nothing);
}

struct ArrayWriter::State {
  State(const std::string& path_, std::vector<WrittenArray> arrays_, base::UnfinishedFile file_)
      : path(path_), arrays(std::move(arrays_)), file(std::move(file_)) {}

  void create(const Attributes& attributes, const base::IsOurs& is_ours) {
    if (job::is_folder_of_arrays(path)) folder.emplace(path, is_ours);
    layout.offsets = written_files_of(path).create(made(), arrays, attributes);
    open();
    layout.head = head_of(path, arrays, layout.offsets);
  }

  void open() {
    placed.emplace(element_files(path, arrays), arrays, layout.offsets);
    if (in_chunks(arrays)) chunks = written_files_of(path).open_chunks(made(), arrays);
  }

  const std::string& made() const { return folder ? folder->path() : file.part(); }

  void publish(base::Replace replace) {
    if (!folder) return file.publish(replace);
    file.check();
    folder->publish(replace);
    file.keep();
    base::remove_file(file.part());
  }

  std::string path;
  std::vector<WrittenArray> arrays;
  ArrayLayout layout;
  base::UnfinishedFile file;
  std::optional<base::UnfinishedFolder> folder;
  bool joins = false;
  std::optional<base::UnfinishedFile> joined;  ///< the file with the others and the arrays
  base::FileStamp joined_stamp;                ///< stamp of the others' file when it was copied
  std::optional<PlacedArrays> placed;
  std::unique_ptr<WrittenChunks> chunks;
};

ArrayWriter::ArrayWriter(const std::string& path, std::vector<WrittenArray> arrays,
                         const Attributes& attributes, const base::IsOurs& is_ours)
    : state_(
          std::make_unique<State>(path, std::move(arrays), base::UnfinishedFile(path, is_ours))) {
  state_->create(attributes, is_ours);
}

ArrayWriter::ArrayWriter(const std::string& path, std::vector<WrittenArray> arrays,
                         ArrayLayout layout)
    : state_(std::make_unique<State>(path, std::move(arrays), base::UnfinishedFile::resume(path))) {
  if (job::is_folder_of_arrays(path)) {
    state_->folder.emplace(base::UnfinishedFolder::resume(path));
  }
  state_->layout = std::move(layout);
  state_->open();
}

ArrayWriter::~ArrayWriter() = default;

bool ArrayWriter::can_resume(const std::string& path, const std::vector<WrittenArray>& arrays,
                             const ArrayLayout& layout) {
  const std::string made = unfinished_path(path);
  if (!base::exists(base::part_path(path)) || !base::exists(made)) return false;
  if (layout.offsets.size() != arrays.size()) return false;
  try {
    if (in_chunks(arrays)) written_files_of(path).open_chunks(made, arrays)->close();
    return head_of(path, arrays, layout.offsets) == layout.head;
  } catch (const base::Error&) {
    return false;  // the file ends before its first element, or HDF5 cannot open it
  }
}

const ArrayLayout& ArrayWriter::layout() const {
  return state_->layout;
}

const base::FileIdentity& ArrayWriter::identity() const {
  return state_->file.identity();
}

std::uint32_t ArrayWriter::write(std::size_t array, const plan::Box& box, plan::StorageOrder order,
                                 std::span<const std::byte> elements, std::uint32_t checksum) {
  return state_->placed->write(array, box, order, elements, checksum);
}

std::uint32_t ArrayWriter::write_chunk(std::size_t array, const plan::Shape& origin,
                                       std::span<const std::byte> bytes, std::uint32_t filter_mask,
                                       std::uint32_t checksum) {
  return state_->chunks->write(array, origin, bytes, filter_mask, checksum);
}

std::uint32_t ArrayWriter::read_checksum(std::size_t array, const plan::Box& box,
                                         std::uint32_t checksum) const {
  if (!state_->chunks) return state_->placed->read_checksum(array, box, checksum);
  return codec::crc32c(state_->chunks->read(array, box.origin), checksum);
}

void ArrayWriter::sync() {
  if (state_->chunks) state_->chunks->flush();
  state_->placed->sync();
}

void ArrayWriter::keep() {
  state_->file.keep();
  if (state_->folder) state_->folder->keep();
}

void ArrayWriter::complete() {
  if (state_->chunks) state_->chunks->close();
  state_->chunks.reset();
  state_->placed->sync();
  if (state_->folder) state_->folder->complete();
  State& s = *state_;
  if (!s.joins) return;
  s.joined.reset();
  s.joined.emplace(s.path, base::anything, ".part.new");
  s.joined_stamp = store::join_others(s.path, s.file.part(), s.arrays, s.joined->part());
}

void ArrayWriter::join_others() {
  state_->joins = joins_others(state_->path, state_->arrays);
}

const std::string& ArrayWriter::made() const {
  return state_->joined ? state_->joined->part() : state_->made();
}

void ArrayWriter::finish(base::Replace replace) {
  State& s = *state_;
  if (!s.joined) {
    complete();
    if (!s.joined) return s.publish(replace);
  }
  if (base::stamp_of(s.path) != s.joined_stamp) {
    s.file.keep();
    throw base::run_error("{}: has changed while it was copied; the same command tries again",
                          s.path);
  }
  s.joined->publish(replace);
  base::remove_file(s.file.part());
}

}  // namespace tessera::store
