#include "expression/scalar.hpp"

#include "expression/arithmetic.hpp"
#include "expression/functions.hpp"
#include "expression/operation_types.hpp"

namespace tessera::expression {
namespace {

struct MakeScalar {
  template <Op kOp, class T>
  ScalarOperation one(OpTag<kOp>, T) const {
    return [](const Cell* x) { return cell_of(apply<kOp>(value_in<T>(x[0]))); };
  }
  template <Op kOp, class T>
  ScalarOperation two(OpTag<kOp>, T) const {
    return [](const Cell* x) { return cell_of(apply<kOp>(value_in<T>(x[0]), value_in<T>(x[1]))); };
  }
  template <Op kOp, class T>
  ScalarOperation three(OpTag<kOp>, T) const {
    return [](const Cell* x) {
      return cell_of(apply<kOp>(value_in<T>(x[0]), value_in<T>(x[1]), value_in<T>(x[2])));
    };
  }
  template <Op kOp, class T>
  ScalarOperation four(OpTag<kOp>, T) const {
    return [](const Cell* x) {
      return cell_of(
          apply<kOp>(value_in<T>(x[0]), value_in<T>(x[1]), value_in<T>(x[2]), value_in<T>(x[3])));
    };
  }
  template <class To, class From>
  ScalarOperation cast(To, From) const {
    return [](const Cell* x) { return cell_of(convert<To>(value_in<From>(x[0]))); };
  }
  template <class T>
  ScalarOperation select(T) const {
    return [](const Cell* x) { return value_in<Bool>(x[0]) != 0 ? x[1] : x[2]; };
  }
  template <Op kOp, class T>
  ScalarOperation select_if(OpTag<kOp>, T) const {
    return [](const Cell* x) {
      return holds<kOp>(value_in<T>(x[0]), value_in<T>(x[1])) ? x[2] : x[3];
    };
  }
};

}  // namespace

ScalarOperation scalar_operation(const Node& node) {
  return with_operation(node, MakeScalar());
}

Cell compute(const Node& node, const Cell* arguments) {
  if (node.op != Op::function) return scalar_operation(node)(arguments);
  const Function& function = functions()[node.detail];
  const Cell y = function.arity == 2 ? arguments[1] : Cell{0};
  if (node.from == base::ElementType::f32) {
    return cell_of(function.f4(value_in<float>(arguments[0]), value_in<float>(y)));
  }
  return cell_of(function.f8(value_in<double>(arguments[0]), value_in<double>(y)));
}

}  // namespace tessera::expression
