// The types of elements, as Zarr 3 names them. Private to this folder.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "base/element.hpp"

namespace tessera::store {

struct ZarrType {
  std::string_view name;
  base::ElementType type;
  bool is_boolean = false;
};

inline constexpr std::array kZarrTypes =
    std::to_array<ZarrType>({{"bool", base::ElementType::u8, true},
                             {"int8", base::ElementType::i8},
                             {"int16", base::ElementType::i16},
                             {"int32", base::ElementType::i32},
                             {"int64", base::ElementType::i64},
                             {"uint8", base::ElementType::u8},
                             {"uint16", base::ElementType::u16},
                             {"uint32", base::ElementType::u32},
                             {"uint64", base::ElementType::u64},
                             {"float16", base::ElementType::f16},
                             {"float32", base::ElementType::f32},
                             {"float64", base::ElementType::f64}});

constexpr std::string_view zarr_type_name(base::ElementType type, bool is_boolean) {
  return std::ranges::find_if(
             kZarrTypes,
             [&](const ZarrType& one) { return one.type == type && one.is_boolean == is_boolean; })
      ->name;
}

}  // namespace tessera::store
