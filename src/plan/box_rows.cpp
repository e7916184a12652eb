#include "plan/box_rows.hpp"

namespace tessera::plan {

BoxRows::BoxRows(const Shape& shape, const Box& box) {
  std::size_t d = shape.size();
  std::int64_t stride = 1;  // of dimension d - 1
  // A dimension that the box covers whole extends the row of the dimension inside it.
  bool whole = true;
  for (; d > 0 && whole; --d) {
    row_ *= box.extent[d - 1];
    origin_ += box.origin[d - 1] * stride;
    whole = box.extent[d - 1] == shape[d - 1];
    stride *= shape[d - 1];
  }
  stride_ = stride;
  for (whole = true; d > 0 && whole; --d) {
    rows_ *= box.extent[d - 1];
    origin_ += box.origin[d - 1] * stride;
    whole = box.extent[d - 1] == shape[d - 1];
    stride *= shape[d - 1];
  }
  counts_.resize(d);
  strides_.resize(d);
  for (; d > 0; --d) {
    counts_[d - 1] = box.extent[d - 1];
    strides_[d - 1] = stride;
    origin_ += box.origin[d - 1] * stride;
    stride *= shape[d - 1];
  }
}

std::int64_t BoxRows::first(std::int64_t group) const {
  std::int64_t first = origin_;
  for (std::size_t d = counts_.size(); d-- > 0;) {
    first += group % counts_[d] * strides_[d];
    group /= counts_[d];
  }
  return first;
}

}  // namespace tessera::plan
