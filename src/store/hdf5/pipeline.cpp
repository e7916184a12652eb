#include "store/hdf5/pipeline.hpp"

#include <algorithm>
#include <array>

#include "codec/szip.hpp"

namespace tessera::store {
namespace {

using codec::Filter;
using Values = std::vector<unsigned>;

/// Of parameters that do not matter.
template <Filter::Kind kKind>
std::optional<Filter> plain(const Values&) {
  return Filter{.kind = kKind};
}

std::optional<Filter> shuffle(const Values& values) {
  if (values.size() != 1 || values[0] == 0) return std::nullopt;
  return Filter{.kind = Filter::Kind::shuffle, .element_bytes = values[0]};
}

std::optional<Filter> szip(const Values& values) {
  if (values.size() < 4) return std::nullopt;
  const Filter::Szip parameters{.options = values[0],
                                .block_samples = values[1],
                                .sample_bits = values[2],
                                .line_samples = values[3]};
  if (!codec::is_plain_szip(parameters)) return std::nullopt;
  return Filter{.kind = Filter::Kind::szip, .szip = parameters};
}

/// Behind two numbers of its version: bytes of an element, elements of a block, compressor.
std::optional<Filter> bitshuffle(const Values& values) {
  constexpr unsigned kMostElementBytes = 1024;
  constexpr unsigned kGroup = 8;
  if (values.size() < 3 || values[2] == 0 || values[2] > kMostElementBytes) return std::nullopt;
  Filter filter{.kind = Filter::Kind::bitshuffle, .element_bytes = values[2]};
  if (values.size() > 3) filter.block_elements = values[3];
  if (filter.block_elements % kGroup != 0) return std::nullopt;
  switch (block_compressor({.values = values})) {
    case BlockCompressor::none:
      break;
    case BlockCompressor::lz4:
      filter.kind = Filter::Kind::bitshuffle_lz4;
      break;
    case BlockCompressor::zstd:
      filter.kind = Filter::Kind::bitshuffle_zstd;
      break;
    default:
      return std::nullopt;
  }
  return filter;
}

/// A filter by its registered number.
struct KnownFilter {
  H5Z_filter_t id;
  std::optional<Filter> (*read)(const Values&);
};
constexpr std::array kKnownFilters = {
    KnownFilter{H5Z_FILTER_DEFLATE, plain<Filter::Kind::deflate>},
    KnownFilter{H5Z_FILTER_SHUFFLE, shuffle},
    KnownFilter{H5Z_FILTER_FLETCHER32, plain<Filter::Kind::fletcher32>},
    KnownFilter{H5Z_FILTER_SZIP, szip},
    KnownFilter{kLzfFilter, plain<Filter::Kind::lzf>},
    KnownFilter{32001, plain<Filter::Kind::blosc>},
    KnownFilter{32004, plain<Filter::Kind::lz4>},
    KnownFilter{kBitshuffleFilter, bitshuffle},
    KnownFilter{32015, plain<Filter::Kind::zstd>},
};

PlacedFilter filter_at(const CheckedCall& h5, const Handle& creation, unsigned place) {
  PlacedFilter filter;
  std::array<char, 64> name{};
  unsigned flags = 0;
  unsigned config = 0;
  filter.values.resize(16);
  std::size_t count = filter.values.size();
  filter.id = h5("H5Pget_filter2", H5Pget_filter2, creation.id(), place, &flags, &count,
                 filter.values.data(), name.size() - 1, name.data(), &config);
  filter.name = name.data();
  filter.values.resize(std::min(count, filter.values.size()));
  return filter;
}

}  // namespace

std::vector<PlacedFilter> pipeline_of(const CheckedCall& h5, const Handle& creation) {
  std::vector<PlacedFilter> pipeline;
  const int count = h5("H5Pget_nfilters", H5Pget_nfilters, creation.id());
  for (int i = 0; i < count; ++i) {
    pipeline.push_back(filter_at(h5, creation, static_cast<unsigned>(i)));
  }
  return pipeline;
}

BlockCompressor block_compressor(const PlacedFilter& bitshuffle) {
  constexpr std::size_t kPlace = 4;
  return BlockCompressor{bitshuffle.values.size() > kPlace ? bitshuffle.values[kPlace] : 0};
}

std::optional<codec::Filters> known_filters(const std::vector<PlacedFilter>& pipeline) {
  constexpr std::size_t kMostFilters = 31;  // bits of a mask, less one
  codec::Filters filters;
  for (const PlacedFilter& placed : pipeline) {
    const auto* const known = std::ranges::find(kKnownFilters, placed.id, &KnownFilter::id);
    if (known == kKnownFilters.end()) return std::nullopt;
    const auto filter = known->read(placed.values);
    if (!filter || !codec::is_built(filter->kind)) return std::nullopt;
    filters.push_back(*filter);
  }
  if (filters.size() > kMostFilters || !codec::sizes_are_known(filters)) return std::nullopt;
  return filters;
}

}  // namespace tessera::store
