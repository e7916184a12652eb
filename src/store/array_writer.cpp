#include "store/array_writer.hpp"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <optional>

#include "base/placed_file.hpp"
#include "base/posix_file.hpp"
#include "plan/box_rows.hpp"
#include "store/attributes.hpp"
#include "store/hdf5_dataset.hpp"
#include "store/read_rows.hpp"

namespace tessera::store {

namespace {

/// The head of a .npy file, version 1.0, whose elements begin at a multiple of 64.
std::string npy_head(const WrittenArray& array) {
  const bool single = base::element_bytes(array.type) == 1;
  const char order = single ? '|' : std::endian::native == std::endian::big ? '>' : '<';
  std::string head(10, '\0');
  head += fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}", order,
                      array.truth ? "b1" : base::element_code(array.type),
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

/// As h5py has numpy.bool_.
Handle truth_type(const CheckedCall& h5) {
  Handle type(h5("H5Tenum_create", H5Tenum_create, H5T_STD_I8LE));
  signed char value = 0;
  for (const char* name : {"FALSE", "TRUE"}) {
    h5("H5Tenum_insert", H5Tenum_insert, type.id(), name, static_cast<const void*>(&value));
    ++value;
  }
  return type;
}

/// Creates a dataset that lies in one stretch, and says where; none for one without elements.
std::uint64_t create_dataset(const CheckedCall& h5, const Handle& file, const WrittenArray& array) {
  const Handle type = array.truth ? truth_type(h5) : memory_type(h5, array.type);
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

/// The whole file but for the elements; where they go.
std::vector<std::uint64_t> create_hdf5(const std::string& path,
                                       const std::vector<WrittenArray>& arrays,
                                       const Attributes& attributes) {
  const CheckedCall h5(path);
  const Handle access(h5("H5Pcreate", H5Pcreate, H5P_FILE_ACCESS));
  h5("H5Pset_libver_bounds", H5Pset_libver_bounds, access.id(), H5F_LIBVER_V18, H5F_LIBVER_V110);
  h5("H5Pset_file_locking", H5Pset_file_locking, access.id(), false, true);
  Handle file(h5("H5Fcreate", H5Fcreate, path.c_str(), static_cast<unsigned>(H5F_ACC_EXCL),
                 H5P_DEFAULT, access.id()));
  for (const auto& [name, text] : attributes) set_attribute(h5, file, name, text);
  std::vector<std::uint64_t> offsets;
  offsets.reserve(arrays.size());
  for (const WrittenArray& array : arrays) offsets.push_back(create_dataset(h5, file, array));
  h5("H5Fclose", H5Fclose, file.release());
  return offsets;
}

}  // namespace

struct ArrayWriter::State {
  State(const std::string& path_, std::vector<WrittenArray> arrays_, const Attributes& attributes)
      : path(path_), part(base::part_path(path_)), arrays(std::move(arrays_)) {
    // A new file, never an old one made empty: a reader may still have that open.
    if (std::filesystem::exists(part)) const base::FileLock nobody_else(part);
    base::remove_file(part);
    try {
      create(attributes);
    } catch (...) {
      base::remove_file(part);
      throw;
    }
  }

  void create(const Attributes& attributes) {
    const bool npy = path.ends_with(".npy");
    if (!npy) offsets = create_hdf5(part, arrays, attributes);
    file.emplace(part);
    lock.emplace(part);
    identity = base::identity_of(part);
    if (!npy) return;
    const std::string head = npy_head(arrays.front());
    file->write_at(0, std::as_bytes(std::span(head)));
    offsets = {head.size()};
  }

  std::string path;
  std::string part;
  std::vector<WrittenArray> arrays;
  std::vector<std::uint64_t> offsets;  ///< of the first element of each
  std::optional<base::PlacedFile> file;
  std::optional<base::FileLock> lock;  ///< tells other runs to keep off, until the end
  base::FileIdentity identity;
  bool finished = false;
};

ArrayWriter::ArrayWriter(const std::string& path, std::vector<WrittenArray> arrays,
                         const Attributes& attributes)
    : state_(std::make_unique<State>(path, std::move(arrays), attributes)) {}

ArrayWriter::~ArrayWriter() {
  if (!state_->finished) base::remove_file(state_->part);
}

void ArrayWriter::write(std::size_t array, const plan::Box& box, plan::StorageOrder order,
                        std::span<const std::byte> elements) {
  if (elements.empty()) return;
  State& s = *state_;
  const plan::Shape& shape = s.arrays[array].shape;
  // What lies along further dimensions goes with its element.
  const std::size_t bytes = elements.size() / static_cast<std::size_t>(box.elements());
  std::vector<std::byte> turned;
  if (order == plan::StorageOrder::first_dimension_fastest && box.extent.size() > 1) {
    turned.resize(elements.size());
    turn_order(elements, box.extent, bytes, turned);
    elements = turned;
  }
  const auto dimensions = static_cast<std::ptrdiff_t>(box.extent.size());
  const plan::BoxRows rows({shape.begin(), shape.begin() + dimensions}, box);
  const std::size_t row_bytes = static_cast<std::size_t>(rows.row()) * bytes;
  for (std::int64_t group = 0; group < rows.groups(); ++group) {
    for (std::int64_t row = 0; row < rows.rows(); ++row) {
      const auto first = static_cast<std::uint64_t>(rows.first(group) + row * rows.stride());
      s.file->write_at(s.offsets[array] + first * bytes, elements.first(row_bytes));
      elements = elements.subspan(row_bytes);
    }
  }
}

void ArrayWriter::finish() {
  State& s = *state_;
  s.file->sync();
  base::publish_file(s.part, s.path, s.identity);
  s.finished = true;
}

}  // namespace tessera::store
