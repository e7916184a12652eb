// Arrays to be read: in memory, in files, of an expression, or from whatever else can read boxes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/error.hpp"
#include "tessera/export.hpp"

namespace tessera::TESSERA_INLINE v0 {

enum class Type : std::uint8_t { boolean, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64 };

using Shape = std::vector<std::int64_t>;  ///< the slowest dimension first

/// Elements in memory. Nobody may write them while a call reads them.
struct ArrayView {
  const void* data = nullptr;  ///< the element with index 0 in every dimension
  Type type = Type::f64;
  Shape shape{};
  /// From one element to the next in each dimension, in bytes; may be negative or 0. Empty: C
  /// order.
  Shape strides_bytes{};
  bool swapped = false;  ///< they have the other byte order
};

/// Part of an array.
struct Box {
  Shape origin;
  Shape extent;
};

/// An array that somebody else reads.
class TESSERA_EXPORT Reader {
 public:
  Reader();
  virtual ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  virtual Type type() const = 0;
  virtual Shape shape() const = 0;
  /// Boxes at multiples of this shape are the fastest to read; empty = any.
  virtual Shape chunk() const { return {}; }
  /// Writes the elements of the box in C order. Called by several threads at the same time. What it
  /// throws ends the call.
  virtual void read(const Box& box, std::span<std::byte> elements) const = 0;
};

struct ArrayInfo {
  Type type = Type::f64;
  Shape shape;
  Shape chunk;       ///< boxes at multiples of it are the fastest to read; empty = any
  std::string kind;  ///< for people: "npy, C order"
};

/// An array that a call reads. Cheap to copy.
class TESSERA_EXPORT Source {
 public:
  /// `name` is for messages. `owner` keeps the elements; null if they outlive all calls.
  static Source memory(const ArrayView& view, std::string name = "array",
                       std::shared_ptr<const void> owner = nullptr);
  /// Elements in the memory of a GPU that this process uses through CUDA; `view.data` is their
  /// address there. When all that is queued on `stream`, a cudaStream_t, has ended, they are
  /// complete; null: they are complete now. The GPU reduces an array as a whole where it is,
  /// without a copy, if its elements are one behind the other, and not by quantiles and histograms.
  /// All else copies what it reads to the host.
  static Source cuda(const ArrayView& view, void* stream = nullptr, std::string name = "array",
                     std::shared_ptr<const void> owner = nullptr);
  /// As INPUT of `tessera reduce`: "x.npy", "run*.h5:/t", "raw.bin?dtype=f4&shape=10x20".
  static Source file(std::string_view input);
  /// The dataset of that very name in an HDF5 file of that very name.
  static Source dataset(const std::string& path, const std::string& name);
  static Source custom(std::shared_ptr<const Reader> reader, std::string name = "array");
  /// "sqrt(u*u + v*v)", as --map.
  static Source expression(std::string_view text,
                           std::vector<std::pair<std::string, Source>> arrays);

  /// Opens what it stands for. Elements that are missing make an array of integers one of f64,
  /// unless they have 64 bits: those can be reduced, and not be read.
  ArrayInfo info() const;
  /// Reads the elements of a box in C order, with NaN for those that are missing. Throws a usage
  /// error unless the box lies in the array, and `elements` has its size.
  void read(const Box& box, std::span<std::byte> elements) const;
  /// The same of the array that info() told of. Throws a usage error if its file has another type
  /// or shape by now.
  void read(const Box& box, std::span<std::byte> elements, const ArrayInfo& known) const;

  ~Source();
  Source(const Source&);
  Source(Source&&) noexcept;
  Source& operator=(const Source&);
  Source& operator=(Source&&) noexcept;

  struct State;
  const State& state() const { return *state_; }

 private:
  explicit Source(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;
};

/// An array that a call makes.
struct ResultArray {
  std::string name;  ///< of the operation
  Type type = Type::f64;
  Shape shape;
  std::vector<double> edges{};  ///< of the bins of a histogram, which are the last dimension
};

/// Memory for an array.
struct ArrayMemory {
  void* data = nullptr;  ///< the element with index 0 in every dimension
  Shape strides_bytes;   ///< from one element to the next in each dimension
};
/// Finds it. Called once for each array, before any element, perhaps on another thread than the
/// caller's; what it throws ends the call.
using PlaceArray = std::function<ArrayMemory(const ResultArray& array)>;

/// Takes the arrays that a call makes. Of a communicator, rank 0 gets them all.
class TESSERA_EXPORT ArraySink {
 public:
  ArraySink();
  virtual ~ArraySink();
  ArraySink(const ArraySink&) = delete;
  ArraySink& operator=(const ArraySink&) = delete;

  virtual void begin(std::span<const ResultArray> arrays) = 0;
  /// Elements of a box of array number `array`, which are there until it returns. Every element
  /// comes once; several threads call it at the same time, for boxes that do not overlap.
  virtual void write(std::size_t array, const Box& box, const std::byte* elements,
                     std::span<const std::int64_t> strides_bytes) = 0;
  virtual void end() {}
};

}  // namespace tessera::TESSERA_INLINEv0
