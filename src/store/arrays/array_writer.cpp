#include "store/arrays/array_writer.hpp"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/file/input_file.hpp"
#include "base/file/placed_file.hpp"
#include "base/file/posix_file.hpp"
#include "codec/chunk.hpp"
#include "plan/box_rows.hpp"
#include "store/arrays/read_rows.hpp"
#include "store/hdf5/attributes.hpp"
#include "store/hdf5/dataset.hpp"

namespace tessera::store {

namespace {

/// The header of a .npy file, version 1.0, padded so that the elements begin at a multiple of 64.
std::string npy_head(const WrittenArray& array) {
  const bool single = base::element_bytes(array.type) == 1;
  const char order = single ? '|' : std::endian::native == std::endian::big ? '>' : '<';
  std::string head(10, '\0');
  head += fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}", order,
                      array.is_boolean ? "b1" : base::element_code(array.type),
                      fmt::join(array.shape, ", "), array.shape.size() == 1 ? "," : "");
  head.resize((head.size() + 1 + 63) / 64 * 64 - 1, ' ');
  head += '\n';
  const std::size_t length = head.size() - 10;
  const std::string preamble = {'\x93',
                                'N',
                                'U',
                                'M',
                                'P',
                                'Y',
                                '\1',
                                '\0',
                                static_cast<char>(length & 0xff),
                                static_cast<char>(length >> 8)};
  return head.replace(0, 10, preamble);
}

/// The type that h5py uses for numpy.bool_.
Handle boolean_type(const CheckedCall& h5) {
  Handle type(h5("H5Tenum_create", H5Tenum_create, H5T_STD_I8LE));
  signed char value = 0;
  for (const char* name : {"FALSE", "TRUE"}) {
    h5("H5Tenum_insert", H5Tenum_insert, type.id(), name, static_cast<const void*>(&value));
    ++value;
  }
  return type;
}

/// Creates a contiguous dataset and returns its offset; HADDR_UNDEF without elements.
std::uint64_t create_dataset(const CheckedCall& h5, const Handle& file, const WrittenArray& array) {
  const Handle type = array.is_boolean ? boolean_type(h5) : memory_type(h5, array.type);
  const std::vector<hsize_t> sides(array.shape.begin(), array.shape.end());
  const Handle space(sides.empty() ? h5("H5Screate", H5Screate, H5S_SCALAR)
                                   : h5("H5Screate_simple", H5Screate_simple,
                                        static_cast<int>(sides.size()), sides.data(), nullptr));
  const Handle creation(h5("H5Pcreate", H5Pcreate, H5P_DATASET_CREATE));
  h5("H5Pset_alloc_time", H5Pset_alloc_time, creation.id(), H5D_ALLOC_TIME_EARLY);
  h5("H5Pset_fill_time", H5Pset_fill_time, creation.id(), H5D_FILL_TIME_NEVER);
  const Handle dataset(h5("H5Dcreate2", H5Dcreate2, file.id(), array.name.c_str(), type.id(),
                          space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT));
  return H5Dget_offset(dataset.id());
}

void write_edges(const CheckedCall& h5, const Handle& file, const WrittenArray& array) {
  const WrittenArray edges{.name = array.name + "_edges",
                           .shape = {static_cast<std::int64_t>(array.edges.size())}};
  create_dataset(h5, file, edges);
  const Handle dataset(h5("H5Dopen2", H5Dopen2, file.id(), edges.name.c_str(), H5P_DEFAULT));
  h5("H5Dwrite", H5Dwrite, dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
     array.edges.data());
}

/// Creates the file except for the elements, and returns the offsets of the arrays.
std::vector<std::uint64_t> create_hdf5(const std::string& path,
                                       const std::vector<WrittenArray>& arrays,
                                       const Attributes& attributes) {
  const std::scoped_lock lock(hdf5_mutex());
  const CheckedCall h5(path);
  const Handle access(h5("H5Pcreate", H5Pcreate, H5P_FILE_ACCESS));
  h5("H5Pset_libver_bounds", H5Pset_libver_bounds, access.id(), H5F_LIBVER_V18, H5F_LIBVER_V110);
  h5("H5Pset_file_locking", H5Pset_file_locking, access.id(), false, true);
  Handle file(h5("H5Fcreate", H5Fcreate, path.c_str(), static_cast<unsigned>(H5F_ACC_EXCL),
                 H5P_DEFAULT, access.id()));
  for (const Attribute& attribute : attributes) {
    set_attribute(h5, file, attribute, TextLayout::variable);
  }
  std::vector<std::uint64_t> offsets;
  offsets.reserve(arrays.size());
  for (const WrittenArray& array : arrays) {
    offsets.push_back(create_dataset(h5, file, array));
    if (!array.edges.empty()) write_edges(h5, file, array);
  }
  h5("H5Fclose", H5Fclose, file.release());
  return offsets;
}

/// The bytes that belong to one index tuple of the first `dimensions`.
std::size_t bytes_each(const WrittenArray& array, std::size_t dimensions) {
  std::size_t bytes = base::element_bytes(array.type);
  for (std::size_t d = dimensions; d < array.shape.size(); ++d) {
    bytes *= static_cast<std::size_t>(array.shape[d]);
  }
  return bytes;
}

plan::BoxRows rows_of(const WrittenArray& array, const plan::Box& box) {
  const auto dimensions = static_cast<std::ptrdiff_t>(box.extent.size());
  return {{array.shape.begin(), array.shape.begin() + dimensions}, box};
}

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

}  // namespace

struct ArrayWriter::State {
  State(const std::string& path_, std::vector<WrittenArray> arrays_)
      : path(path_), part(base::part_path(path_)), arrays(std::move(arrays_)) {}

  void create(const Attributes& attributes) {
    // Creates a new file instead of truncating: a reader may still have the old one open.
    if (std::filesystem::exists(part)) const base::FileLock nobody_else(part);
    base::remove_file(part);
    try {
      create_file(attributes);
    } catch (...) {
      base::remove_file(part);
      throw;
    }
  }

  void create_file(const Attributes& attributes) {
    const bool npy = path.ends_with(".npy");
    if (!npy) layout.offsets = create_hdf5(part, arrays, attributes);
    open();
    if (npy) {
      const std::string head = npy_head(arrays.front());
      file->write_at(0, std::as_bytes(std::span(head)));
      layout.offsets = {head.size()};
    }
    layout.head = checksum_head(part, arrays, layout.offsets);
  }

  void open() {
    file.emplace(part);
    lock.emplace(part);
    identity = base::identity_of(part);
  }

  std::string path;
  std::string part;
  std::vector<WrittenArray> arrays;
  ArrayLayout layout;
  std::optional<base::PlacedFile> file;
  std::optional<base::FileLock> lock;  ///< keeps other runs from writing the file
  base::FileIdentity identity;
  bool stays = false;  ///< the destructor leaves the .part file
};

ArrayWriter::ArrayWriter(const std::string& path, std::vector<WrittenArray> arrays,
                         const Attributes& attributes)
    : state_(std::make_unique<State>(path, std::move(arrays))) {
  state_->create(attributes);
}

ArrayWriter::ArrayWriter(const std::string& path, std::vector<WrittenArray> arrays,
                         ArrayLayout layout)
    : state_(std::make_unique<State>(path, std::move(arrays))) {
  state_->open();
  state_->layout = std::move(layout);
}

ArrayWriter::~ArrayWriter() {
  if (!state_->stays) base::remove_file(state_->part);
}

bool ArrayWriter::can_resume(const std::string& path, const std::vector<WrittenArray>& arrays,
                             const ArrayLayout& layout) {
  const std::string part = base::part_path(path);
  if (!std::filesystem::exists(part) || layout.offsets.size() != arrays.size()) return false;
  try {
    return checksum_head(part, arrays, layout.offsets) == layout.head;
  } catch (const base::Error&) {
    return false;  // the file ends before its first element
  }
}

const ArrayLayout& ArrayWriter::layout() const {
  return state_->layout;
}

std::uint32_t ArrayWriter::write(std::size_t array, const plan::Box& box, plan::StorageOrder order,
                                 std::span<const std::byte> elements, std::uint32_t checksum) {
  if (elements.empty()) return checksum;
  State& s = *state_;
  const std::size_t bytes = bytes_each(s.arrays[array], box.extent.size());
  std::vector<std::byte> turned;
  if (order == plan::StorageOrder::first_dimension_fastest && box.extent.size() > 1) {
    turned.resize(elements.size());
    transpose_order(elements, box.extent, bytes, turned);
    elements = turned;
  }
  checksum = codec::crc32c(elements, checksum);
  const plan::BoxRows rows = rows_of(s.arrays[array], box);
  const std::size_t row_bytes = static_cast<std::size_t>(rows.row()) * bytes;
  for (std::int64_t group = 0; group < rows.groups(); ++group) {
    for (std::int64_t row = 0; row < rows.rows(); ++row) {
      const auto first = static_cast<std::uint64_t>(rows.first(group) + row * rows.stride());
      s.file->write_at(s.layout.offsets[array] + first * bytes, elements.first(row_bytes));
      elements = elements.subspan(row_bytes);
    }
  }
  return checksum;
}

std::uint32_t ArrayWriter::read_checksum(std::size_t array, const plan::Box& box,
                                         std::uint32_t checksum) const {
  const State& s = *state_;
  const std::size_t bytes = bytes_each(s.arrays[array], box.extent.size());
  std::vector<std::byte> elements(static_cast<std::size_t>(box.elements()) * bytes);
  if (elements.empty()) return checksum;
  const base::InputFile file(s.part);
  const std::uint64_t offset = s.layout.offsets[array];
  read_rows(
      rows_of(s.arrays[array], box), bytes,
      [&](std::uint64_t at, std::span<std::byte> to) { file.read_at(offset + at, to); }, elements);
  return codec::crc32c(elements, checksum);
}

void ArrayWriter::sync() {
  state_->file->sync();
}

void ArrayWriter::keep() {
  state_->stays = true;
}

void ArrayWriter::finish(base::Replace replace) {
  State& s = *state_;
  s.file->sync();
  base::publish_file(s.part, s.path, s.identity, replace);
  s.stays = true;
}

}  // namespace tessera::store
