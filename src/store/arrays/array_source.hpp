// An array in a file, read piece by piece by any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/element.hpp"
#include "base/file/file_view.hpp"
#include "job/array_input.hpp"
#include "plan/array_pieces.hpp"
#include "store/arrays/stored_chunks.hpp"

namespace tessera::store {

struct ArrayInfo {
  std::string name;  ///< as the user gave it
  std::string kind;  ///< for people: "npy 1.0", "raw"
  base::ElementType type = base::ElementType::f64;
  job::Shape shape;
  /// Some of it is in files that it refers to, or may be: an HDF5 dataset that is virtual, external
  /// or linked from another file.
  bool refers_elsewhere = false;
};

/// How the stored bytes of a chunk become elements, which is work for whoever reads them.
struct ChunkCoding {
  job::Shape chunk;  ///< of every chunk as it is stored, also where it stands out of the array
  bool swap_bytes = false;

  /// Filters that a chunk has not been through, as codec::ChunkDecoder takes them.
  static constexpr std::uint32_t kShuffleSkipped = 0b01;
  static constexpr std::uint32_t kDeflateSkipped = 0b10;
};

/// Where a chunk belongs, in its own file.
struct ChunkLocation {
  std::string array;  ///< as the user gave it
  plan::Box box;
};

class ArraySource {
 public:
  virtual ~ArraySource() = default;
  virtual const ArrayInfo& info() const = 0;
  virtual const plan::ArrayPieces& pieces() const = 0;
  /// Elements of a piece, in this machine's byte order, into `elements`, which has the size that
  /// they need. Blocks; throws base::Error (failed) naming the file.
  virtual void read(std::int64_t piece, std::span<std::byte> elements) const = 0;
  /// The elements of a box of the array in C order, in this machine's byte order, into `elements`,
  /// which has the size that they need. Any thread at any time, whatever the pieces are; boxes that
  /// agree with how the array is stored are read best. May take as much memory again. Throws as
  /// read() does.
  virtual void read_box(const plan::Box& box, std::span<std::byte> elements) const = 0;
  /// The order in which elements lie together, and the same box in that order.
  virtual plan::StorageOrder order() const { return plan::StorageOrder::last_dimension_fastest; }
  virtual void read_box_in_order(const plan::Box& box, std::span<std::byte> elements) const {
    read_box(box, elements);
  }
  /// Boxes at multiples of this are read best, whole; empty = any box.
  virtual plan::Shape grain() const { return {}; }

  /// The pieces [first, end) as they lie in their file, where that is how read() brings them;
  /// nothing where it is not, or where this system cannot. A window of a large file, and not all.
  virtual std::optional<base::FileView> view(std::int64_t /*first*/, std::int64_t /*end*/) const {
    return std::nullopt;
  }

  /// Not null: the piece is the box of a chunk, and read_stored() takes the place of read(), and
  /// read_missing() for a chunk that is not there.
  virtual const ChunkCoding* coding(std::int64_t /*piece*/) const { return nullptr; }
  /// Most elements that a piece has, of a coded one with what of its chunk lies outside.
  virtual std::int64_t most_elements() const { return pieces().most_elements(); }
  virtual ChunkLocation place(std::int64_t piece) const {
    return {info().name, pieces().box(piece)};
  }
  /// Takes the chunks of pieces from `first` on as they are stored: one, and of those before `end`
  /// as many more as there is room for.
  virtual void read_stored(std::int64_t /*first*/, std::int64_t /*end*/,
                           StoredChunks& /*chunks*/) const {}
  /// What stands for the chunk of a coded piece that is not there, as read() has it.
  virtual void read_missing(std::int64_t piece, std::span<std::byte> elements) const {
    read(piece, elements);
  }
  /// Of a coded piece: where tests order it, throws if the elements that came of its chunk are not
  /// those that the library of the file's format reads.
  virtual void check_decoded(std::int64_t /*piece*/,
                             std::span<const std::byte> /*elements*/) const {}
};

/// `piece_bytes`: of a piece, where the file leaves the choice. missing error if the file is not
/// there; usage errors for one that is not what it should be, or of a type that is no number.
std::unique_ptr<ArraySource> open_array(const job::ArrayInput& input, std::int64_t piece_bytes);

/// The files that match the path of `input`, in the order of their names, if that has a *; missing
/// error if none does. Otherwise `input`.
std::vector<job::ArrayInput> expand(const job::ArrayInput& input);

/// Several as one array, one behind the other along the first dimension. Each is
/// expand()ed. Usage error for arrays that differ in type or in another dimension.
std::unique_ptr<ArraySource> open_arrays(std::span<const job::ArrayInput> inputs,
                                         std::int64_t piece_bytes);

}  // namespace tessera::store
