// An array in a file or in memory. Any number of threads read it piece by piece.
#pragma once

#include <fmt/ranges.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/element.hpp"
#include "base/error.hpp"
#include "base/missing_markers.hpp"
#include "codec/chunk.hpp"
#include "job/arrays/array_input.hpp"
#include "plan/array_pieces.hpp"
#include "store/arrays/dimension.hpp"
#include "store/arrays/packed_attributes.hpp"
#include "store/arrays/stored_chunks.hpp"

namespace tessera::store {

struct ArrayInfo {
  std::string name;       ///< as the user gave it
  std::string dataset{};  ///< in an HDF5 file, by the name that it has there
  std::string kind;       ///< for messages: "npy 1.0", "raw"
  base::ElementType type = base::ElementType::f64;
  job::Shape shape;
  bool is_boolean = false;  ///< elements are read as 0 or 1, whatever is stored; `type` is u8
  /// Some elements are, or may be, in other files: the HDF5 dataset is virtual, external or linked
  /// from another file.
  bool refers_elsewhere = false;
  /// Attributes about the numbers that the elements stand for; null = none.
  std::shared_ptr<const PackedAttributes> packed{};
  std::optional<Unpacking> unpacking{};           ///< that the elements have gone through
  std::optional<base::MissingMarkers> missing{};  ///< set if elements may be missing
  std::vector<std::string> notes{};               ///< for the user, about all this
};

/// How the stored bytes of a chunk become elements. The reading thread decodes them.
struct ChunkCoding {
  /// Extents of every stored chunk; a chunk at the edge extends beyond the array.
  job::Shape chunk;
  codec::Filters filters;
  bool swap_bytes = false;

  /// The mask of a chunk that no filter was applied to, as codec::ChunkDecoder takes it.
  std::uint32_t no_filter() const { return (std::uint32_t{1} << filters.size()) - 1; }
};

/// One of several joined arrays.
struct ArrayPart {
  std::string array;     ///< as the user gave it
  std::int64_t row = 0;  ///< row of the whole array, where this one begins
};

/// Elements in memory, which `owner` keeps there; null if they outlive the source.
struct ElementView {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

class ArraySource {
 public:
  virtual ~ArraySource() = default;
  const ArrayInfo& info() const { return info_; }
  /// One for each dimension; empty if none has a name.
  const std::vector<Dimension>& dimensions() const { return dimensions_; }
  std::vector<std::string> dimension_names() const { return names_of(dimensions_); }
  void set_dimensions(std::vector<Dimension> dimensions) { dimensions_ = std::move(dimensions); }
  /// What its attributes say about it; none of joined arrays.
  const std::vector<TextAttribute>& texts() const { return texts_; }
  void set_texts(std::vector<TextAttribute> texts) { texts_ = std::move(texts); }
  const plan::ArrayPieces& pieces() const { return pieces_; }
  /// Reads the elements of a piece into `elements`, which has exactly their size, in this machine's
  /// byte order. Blocks. Throws base::Error (failed) naming the file.
  virtual void read(std::int64_t piece, std::span<std::byte> elements) const {
    read_box(pieces_.box(piece), elements);
  }
  /// Reads a box of the array in C order, in this machine's byte order, into `elements`, which has
  /// exactly its size. Any thread may call it at any time, and the box need not follow the pieces.
  /// It is fastest for boxes that match the storage layout. May allocate as much memory again.
  /// Throws as read() does.
  virtual void read_box(const plan::Box& box, std::span<std::byte> elements) const = 0;
  /// The order of elements in the file. read_box_in_order() reads a box in that order.
  virtual plan::StorageOrder order() const { return plan::StorageOrder::last_dimension_fastest; }
  virtual void read_box_in_order(const plan::Box& box, std::span<std::byte> elements) const {
    read_box(box, elements);
  }
  /// Whole boxes at multiples of this shape are the fastest to read; empty = any box.
  virtual plan::Shape chunk_shape() const { return {}; }

  /// The array that messages and reports are about: this one, or that of which it has pairs.
  virtual const ArraySource& shown() const { return *this; }
  /// Dimensions before those of shown().
  virtual int dimensions_before() const { return 0; }
  /// Elements that are missing here and not there in shown().
  virtual std::int64_t added() const { return 0; }

  /// The input that a device generates elements of, if they are not read.
  virtual const job::ArrayInput* generated() const { return nullptr; }
  /// Memory that reading takes on each thread, beside the elements.
  virtual std::uint64_t read_memory_bytes() const { return 0; }
  /// Bytes that are read for an element.
  virtual std::uint64_t read_bytes_each() const { return base::element_bytes(info().type); }

  /// The part with this row of the first dimension, if several arrays were joined.
  virtual std::optional<ArrayPart> part_at(std::int64_t /*row*/) const { return std::nullopt; }

  /// The pieces [first, end) without a copy, if their bytes in memory or in the file are what
  /// read() returns; nothing if they are not, or if this system cannot map files. Maps only this
  /// part of a large file.
  virtual std::optional<ElementView> view(std::int64_t /*first*/, std::int64_t /*end*/) const {
    return std::nullopt;
  }

  /// One past the last piece that may be in a view from `piece` on.
  virtual std::int64_t end_of_view(std::int64_t piece) const { return pieces().end_of_part(piece); }

  /// If not null, the piece is the box of a chunk. Then read_stored() replaces read(), and
  /// read_missing() serves chunks that are not in the file.
  virtual const ChunkCoding* chunk_coding(std::int64_t /*piece*/) const { return nullptr; }
  /// The largest number of elements of a piece. A coded piece counts its whole chunk, including the
  /// part outside the array.
  virtual std::int64_t max_elements() const { return pieces().max_elements(); }
  /// The box of a coded piece in its own file.
  virtual plan::Box location(std::int64_t piece) const { return pieces().box(piece); }
  /// The error that the coded piece is damaged, for the reason `why`.
  virtual base::Error damaged(std::int64_t piece, const std::string& why) const {
    return base::run_error("{}: chunk at [{}]: {}", info().name,
                           fmt::join(pieces().box(piece).origin, ", "), why);
  }
  /// Reads the stored bytes of the chunks of consecutive pieces: of `first`, and of as many more
  /// before `end` as there is space for in `chunks`.
  virtual void read_stored(std::int64_t /*first*/, std::int64_t /*end*/,
                           StoredChunks& /*chunks*/) const {}
  /// Fills `elements` for a coded piece whose chunk is not in the file, as read() would.
  virtual void read_missing(std::int64_t piece, std::span<std::byte> elements) const {
    read(piece, elements);
  }
  /// For a coded piece, where tests request it: throws if the decoded elements differ from those
  /// that the file format's own library reads.
  virtual void check_decoded(std::int64_t /*piece*/,
                             std::span<const std::byte> /*elements*/) const {}

 protected:
  ArraySource() = default;
  explicit ArraySource(ArrayInfo info, plan::ArrayPieces pieces = {})
      : info_(std::move(info)), pieces_(std::move(pieces)) {}

  ArrayInfo info_;
  plan::ArrayPieces pieces_;

 private:
  std::vector<Dimension> dimensions_;
  std::vector<TextAttribute> texts_;
};

/// Opens one array. `piece_bytes` is the size of a piece where the file leaves the choice. Throws a
/// missing error if there is no such file, and usage errors for a file of another format or
/// elements that are not numbers.
std::unique_ptr<ArraySource> open_array(const job::ArrayInput& input, std::int64_t piece_bytes);

/// If the path of `input` contains a *, returns the matching files, p2 before p10; missing error if
/// none matches. Otherwise returns `input`.
std::vector<job::ArrayInput> expand(const job::ArrayInput& input);

/// The other files with elements of the array: of external links, external storage and virtual
/// datasets, and the files to which those refer. None of an array that cannot be opened.
std::vector<std::string> referenced_files(const job::ArrayInput& input);

/// Opens several arrays as one, concatenated along the first dimension, after expand() of each;
/// `open` opens one. Throws a usage error if they differ in type or in another dimension, or if
/// elements of one are missing that in another are not.
using OpenArray = std::function<std::unique_ptr<ArraySource>(const job::ArrayInput&, std::int64_t)>;
std::unique_ptr<ArraySource> open_arrays(std::span<const job::ArrayInput> inputs,
                                         std::int64_t piece_bytes,
                                         const OpenArray& open = &open_array);

}  // namespace tessera::store
