// An array in a file, read piece by piece by any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/element.hpp"
#include "job/array_input.hpp"
#include "plan/array_pieces.hpp"

namespace tessera::store {

struct ArrayInfo {
  std::string name;  ///< as the user gave it
  std::string kind;  ///< for people: "npy 1.0", "raw"
  base::ElementType type = base::ElementType::f64;
  job::Shape shape;
};

class ArraySource {
 public:
  virtual ~ArraySource() = default;
  virtual const ArrayInfo& info() const = 0;
  virtual const plan::ArrayPieces& pieces() const = 0;
  /// Elements of a piece, in this machine's byte order, into `elements`, which has the size that
  /// they need. Blocks; throws base::Error (failed) naming the file.
  virtual void read(std::int64_t piece, std::span<std::byte> elements) const = 0;
};

/// `piece_bytes`: of a piece, where the file leaves the choice. missing error if the file is not
/// there; usage errors for one that is not what it should be, or of a type that is no number.
std::unique_ptr<ArraySource> open_array(const job::ArrayInput& input, std::int64_t piece_bytes);

}  // namespace tessera::store
