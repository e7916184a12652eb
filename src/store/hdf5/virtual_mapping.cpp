#include "store/hdf5/virtual_mapping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tessera::store {

namespace {

using Sides = std::vector<hsize_t>;

/// A regular hyperslab; `count` or `block` may be H5S_UNLIMITED along one dimension.
struct RegularSlab {
  Sides start;
  Sides stride;
  Sides count;
  Sides block;

  bool is_unlimited(std::size_t d) const {
    return count[d] == H5S_UNLIMITED || block[d] == H5S_UNLIMITED;
  }
  /// Selected indices of dimension d that are below `side`.
  hsize_t below(std::size_t d, hsize_t side) const {
    if (side <= start[d] || count[d] == 0) return 0;
    const hsize_t span = side - start[d];
    const hsize_t blocks = std::min(span / stride[d], count[d]);
    const hsize_t rest = blocks < count[d] ? span - blocks * stride[d] : 0;
    if (block[d] == H5S_UNLIMITED) return span;
    return blocks * block[d] + std::min(rest, block[d]);
  }
};

std::size_t rank_of(const CheckedCall& h5, const Handle& space) {
  return static_cast<std::size_t>(
      h5("H5Sget_simple_extent_ndims", H5Sget_simple_extent_ndims, space.id()));
}

/// Nothing for a selection of another kind.
std::optional<RegularSlab> regular_slab(const CheckedCall& h5, const Handle& space) {
  if (h5("H5Sget_select_type", H5Sget_select_type, space.id()) != H5S_SEL_HYPERSLABS ||
      h5("H5Sis_regular_hyperslab", H5Sis_regular_hyperslab, space.id()) == 0) {
    return std::nullopt;
  }
  const std::size_t rank = rank_of(h5, space);
  RegularSlab slab{Sides(rank), Sides(rank), Sides(rank), Sides(rank)};
  h5("H5Sget_regular_hyperslab", H5Sget_regular_hyperslab, space.id(), slab.start.data(),
     slab.stride.data(), slab.count.data(), slab.block.data());
  return slab;
}

std::optional<std::size_t> unlimited_dimension(const std::optional<RegularSlab>& slab) {
  for (std::size_t d = 0; slab && d < slab->start.size(); ++d) {
    if (slab->is_unlimited(d)) return d;
  }
  return std::nullopt;
}

template <class Function>
std::string name_from(const CheckedCall& h5, const char* call, Function function,
                      const Handle& creation, std::size_t index) {
  const auto length = h5(call, function, creation.id(), index, nullptr, std::size_t{0});
  std::string name(static_cast<std::size_t>(length) + 1, '\0');
  h5(call, function, creation.id(), index, name.data(), name.size());
  name.pop_back();
  return name;
}

bool has_number(const std::string& name) {
  return name_of_block(name, 0) != name_of_block(name, 1);
}

}  // namespace

std::size_t count_mappings(const CheckedCall& h5, const Handle& creation) {
  std::size_t count = 0;
  h5("H5Pget_virtual_count", H5Pget_virtual_count, creation.id(), &count);
  return count;
}

VirtualMapping mapping_at(const CheckedCall& h5, const Handle& creation, std::size_t index) {
  VirtualMapping mapping;
  mapping.file = name_from(h5, "H5Pget_virtual_filename", H5Pget_virtual_filename, creation, index);
  mapping.dataset =
      name_from(h5, "H5Pget_virtual_dsetname", H5Pget_virtual_dsetname, creation, index);
  mapping.space = Handle(h5("H5Pget_virtual_vspace", H5Pget_virtual_vspace, creation.id(), index));
  mapping.source_space =
      Handle(h5("H5Pget_virtual_srcspace", H5Pget_virtual_srcspace, creation.id(), index));
  mapping.unlimited = unlimited_dimension(regular_slab(h5, mapping.space));
  mapping.counts_blocks =
      mapping.unlimited && (has_number(mapping.file) || has_number(mapping.dataset));
  return mapping;
}

std::string name_of_block(const std::string& name, std::uint64_t block) {
  std::string built;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool is_mark = name[i] == '%' && i + 1 < name.size();
    if (is_mark && name[i + 1] == 'b') {
      built += fmt::format("{}", block);
      ++i;
    } else {
      built += name[i];
      if (is_mark && name[i + 1] == '%') ++i;
    }
  }
  return built;
}

std::optional<std::uint64_t> selected_elements(const CheckedCall& h5, const Handle& space,
                                               const plan::Shape& shape) {
  const auto elements = static_cast<std::uint64_t>(plan::element_count(shape));
  if (h5("H5Sget_select_type", H5Sget_select_type, space.id()) == H5S_SEL_ALL) return elements;
  if (rank_of(h5, space) != shape.size()) return std::nullopt;
  const auto slab = regular_slab(h5, space);
  const auto unlimited = unlimited_dimension(slab);
  if (unlimited) {
    std::uint64_t selected = 1;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const auto side = static_cast<hsize_t>(shape[d]);
      const hsize_t all = d == *unlimited ? 0 : slab->count[d] * slab->block[d];
      const hsize_t inside = slab->below(d, side);
      if (d != *unlimited && inside != all) return std::nullopt;
      selected *= inside;
    }
    return selected;
  }
  const auto selected =
      static_cast<std::uint64_t>(h5("H5Sget_select_npoints", H5Sget_select_npoints, space.id()));
  if (selected == 0) return 0;
  Sides first(shape.size());
  Sides last(shape.size());
  h5("H5Sget_select_bounds", H5Sget_select_bounds, space.id(), first.data(), last.data());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (last[d] >= static_cast<hsize_t>(shape[d])) return std::nullopt;
  }
  return selected;
}

plan::Box bounds_of(const CheckedCall& h5, const Handle& space, const plan::Shape& shape) {
  plan::Box box{.origin = plan::Shape(shape.size(), 0), .extent = shape};
  if (h5("H5Sget_select_type", H5Sget_select_type, space.id()) == H5S_SEL_ALL || shape.empty()) {
    return box;
  }
  const auto slab = regular_slab(h5, space);
  if (unlimited_dimension(slab)) {
    for (std::size_t d = 0; d < shape.size(); ++d) {
      box.origin[d] = static_cast<std::int64_t>(slab->start[d]);
      box.extent[d] = shape[d] - std::min(box.origin[d], shape[d]);
    }
    return box;
  }
  Sides first(shape.size());
  Sides last(shape.size());
  if (h5("H5Sget_select_npoints", H5Sget_select_npoints, space.id()) == 0) return box;
  h5("H5Sget_select_bounds", H5Sget_select_bounds, space.id(), first.data(), last.data());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    box.origin[d] = static_cast<std::int64_t>(first[d]);
    box.extent[d] = static_cast<std::int64_t>(last[d] - first[d] + 1);
  }
  return box;
}

plan::Box block_of(const CheckedCall& h5, const VirtualMapping& mapping, std::uint64_t block) {
  const auto slab = regular_slab(h5, mapping.space);
  plan::Box box;
  for (std::size_t d = 0; d < slab->start.size(); ++d) {
    const bool counts = d == mapping.unlimited;
    const hsize_t blocks = counts ? 1 : slab->count[d];
    const hsize_t first = slab->start[d] + (counts ? block * slab->stride[d] : 0);
    box.origin.push_back(static_cast<std::int64_t>(first));
    box.extent.push_back(
        static_cast<std::int64_t>((blocks - 1) * slab->stride[d] + slab->block[d]));
  }
  return box;
}

}  // namespace tessera::store
