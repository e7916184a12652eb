// Builds a program from the operations of an expression: types by NumPy 2's rules, equal values
// once, constants computed beforehand.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "expression/program.hpp"

namespace tessera::expression {

/// Says what is wrong with an operation; the parser adds where.
class Mistake : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

__extension__ using Whole = __int128;

/// An array of elements, or a number that was written. As Python's scalars are in NumPy, such a
/// number is weak: it takes the type of the array that it meets.
struct Value {
  enum class Kind { array, whole, real };

  Kind kind = Kind::array;
  Type type = Type::f8;  ///< type of an array
  int node = kNoValue;   ///< node of an array
  Whole whole = 0;
  double real = 0;

  bool is_weak() const { return kind != Kind::array; }
};

class Builder {
 public:
  /// `inputs`: the types of the arrays.
  explicit Builder(std::span<const Type> inputs);

  Value input(std::size_t number);
  /// Coordinate of an element in this dimension, or kFlat: its index in C order.
  Value index(std::uint64_t dimension);
  static Value whole(Whole number);
  static Value real(double number);

  // Each throws a Mistake if the types do not fit.
  static Value plus(const Value& x);
  Value unary(Op op, const Value& x);
  Value binary(Op op, Value x, Value y);
  Value fused_multiply_add(const Value& x, const Value& y, const Value& z);
  Value select(const Value& condition, const Value& x, const Value& y);
  Value cast(Type type, const Value& x);
  /// By its row in functions().
  Value function(int row, std::span<const Value> arguments);

  Program finish(const Value& result);

 private:
  using Key = std::tuple<Op, base::ElementType, base::ElementType, std::array<int, kMaxArguments>,
                         std::uint64_t>;

  int add(const Node& node);
  /// An operation on arrays of one type. Rounds halves.
  Value emit(Op op, Type type, std::initializer_list<int> arguments);
  Value emit_truth(Op op, Type type, int x, int y);
  int constant(Type type, std::uint64_t cell);
  /// The value as an array of the type.
  int as(Type type, const Value& x);
  int convert(Type to, const Value& x);

  Value weak_unary(Op op, const Value& x);
  Value weak_binary(Op op, const Value& x, const Value& y);
  Value compare(Op op, const Value& x, const Value& y);
  Value compare_signed_unsigned(Op op, Value x, Value y);
  Value power(const Value& x, const Value& y);

  std::vector<Type> inputs_;
  std::vector<Node> nodes_;
  std::map<Key, int> numbers_;  ///< numbers of the nodes
};

}  // namespace tessera::expression
