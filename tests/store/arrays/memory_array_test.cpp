// Arrays in memory with any strides, against the elements that their strides say.
#include "store/arrays/memory_array.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/byte_order.hpp"
#include "base/error.hpp"
#include "tests/plan/box_elements.hpp"

namespace tessera::store {
namespace {

/// A view of an array of NumPy: `what` says how it is made of a packed array.
struct Strides {
  std::string what;
  plan::Shape shape;
  plan::Shape strides;  ///< in elements
  std::int64_t offset = 0;
};

const std::vector<Strides>& all_strides() {
  static const std::vector<Strides> all = {
      {"a", {7}, {1}},
      {"a of no dimension", {}, {}},
      {"a[:0]", {0, 5}, {5, 1}},
      {"C order", {4, 5, 6}, {30, 6, 1}},
      {"Fortran order", {4, 5, 6}, {1, 4, 20}},
      {"a.transpose(1, 0, 2)", {5, 4, 6}, {6, 30, 1}},
      {"a.transpose(2, 0, 1)", {6, 4, 5}, {1, 30, 6}},
      {"a.transpose(0, 2, 1)", {40, 70, 50}, {3500, 1, 70}},
      {"a[::2]", {4, 30}, {60, 1}},
      {"a[:, ::2]", {8, 15}, {30, 2}},
      {"a[::-1]", {9}, {-1}, 8},
      {"a[::-1, ::3]", {4, 10}, {-30, 3}, 90},
      {"a[:, :, ::-1].T", {6, 5, 4}, {-1, 6, 30}, 5},
      {"np.broadcast_to(a, (3, 4))", {3, 4}, {0, 1}},
      {"np.broadcast_to(a[:, None], (3, 4))", {3, 4}, {1, 0}},
      {"a[2:5, 1:4]", {3, 3}, {30, 1}, 61},
      {"a[:, :1]", {5, 1, 6}, {30, 6, 1}},
      {"a[:, :1].T", {6, 1, 5}, {1, 6, 30}},
      {"overlapping windows", {5, 3}, {1, 1}},
  };
  return all;
}

template <class T>
class MemoryArray : public testing::Test {
 protected:
  /// Elements of 0, 1, 2, ... mod 251, `shift` bytes behind aligned ones.
  static std::vector<std::byte> memory(std::size_t count, std::size_t shift, bool swapped) {
    std::vector<T> numbers(count);
    for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<T>(i % 251);
    std::vector<std::byte> bytes(shift + count * sizeof(T));
    std::memcpy(bytes.data() + shift, numbers.data(), count * sizeof(T));
    if (swapped) base::swap_byte_order(std::span(bytes).subspan(shift), sizeof(T));
    return bytes;
  }

  static job::ArrayInMemory layout_of(const Strides& strides, std::span<const std::byte> bytes,
                                      std::size_t shift, bool swapped) {
    job::ArrayInMemory layout{.bytes = bytes,
                              .offset_bytes = static_cast<std::int64_t>(shift) +
                                              strides.offset * static_cast<std::int64_t>(sizeof(T)),
                              .type = type(),
                              .shape = strides.shape,
                              .strides_bytes = strides.strides,
                              .swap_bytes = swapped};
    for (std::int64_t& stride : layout.strides_bytes) stride *= sizeof(T);
    return layout;
  }

  static base::ElementType type() {
    if constexpr (std::is_same_v<T, std::uint8_t>) return base::ElementType::u8;
    if constexpr (std::is_same_v<T, std::int16_t>) return base::ElementType::i16;
    if constexpr (std::is_same_v<T, float>) return base::ElementType::f32;
    return base::ElementType::f64;
  }

  /// The element with this index in C order.
  static T element(const Strides& strides, std::int64_t index) {
    std::int64_t at = strides.offset;
    for (std::size_t d = strides.shape.size(); d-- > 0; index /= strides.shape[d]) {
      at += index % strides.shape[d] * strides.strides[d];
    }
    return static_cast<T>(at % 251);
  }
};

using Types = testing::Types<std::uint8_t, std::int16_t, float, double>;
TYPED_TEST_SUITE(MemoryArray, Types);

TYPED_TEST(MemoryArray, HasEveryElementOnceInItsPieces) {
  using T = TypeParam;
  for (const Strides& strides : all_strides()) {
    for (const bool swapped : {false, true}) {
      const std::size_t shift = swapped ? 3 : 0;
      const auto bytes = this->memory(150'000, shift, swapped);
      const auto layout = this->layout_of(strides, bytes, shift, swapped);
      for (const std::int64_t piece_bytes : {8, 56, 1 << 20}) {
        const auto array = open_array(job::input_of(layout, "a"), piece_bytes);
        const plan::ArrayPieces& pieces = array->pieces();
        std::set<std::int64_t> seen;
        for (std::int64_t p = 0; p < pieces.count(); ++p) {
          std::vector<T> elements(static_cast<std::size_t>(pieces.elements(p)));
          array->read(p, std::as_writable_bytes(std::span(elements)));
          for (std::size_t e = 0; e < elements.size(); ++e) {
            const std::int64_t index = pieces.index(p, static_cast<std::int64_t>(e));
            ASSERT_EQ(elements[e], this->element(strides, index)) << strides.what << " " << index;
            seen.insert(index);
          }
        }
        EXPECT_EQ(std::ssize(seen), plan::element_count(strides.shape)) << strides.what;
      }
    }
  }
}

TYPED_TEST(MemoryArray, ReadsBoxesInBothOrders) {
  using T = TypeParam;
  std::mt19937_64 random(5);
  const auto bytes = this->memory(150'000, 0, false);
  for (const Strides& strides : all_strides()) {
    const auto array =
        open_array(job::input_of(this->layout_of(strides, bytes, 0, false), "a"), 64);
    for (int i = 0; i < 20; ++i) {
      plan::Box box;
      for (const std::int64_t side : strides.shape) {
        const auto low = side == 0 ? 0 : static_cast<std::int64_t>(random() % side);
        box.origin.push_back(low);
        box.extent.push_back(side == 0 ? 0
                                       : 1 + static_cast<std::int64_t>(random() % (side - low)));
      }
      std::vector<T> elements(static_cast<std::size_t>(box.elements()));
      array->read_box(box, std::as_writable_bytes(std::span(elements)));
      std::vector<T> wanted;
      for (const std::int64_t index : plan::elements_of_box(strides.shape, box)) {
        wanted.push_back(this->element(strides, index));
      }
      ASSERT_EQ(elements, wanted) << strides.what;
      if (array->order() == plan::StorageOrder::last_dimension_fastest) continue;
      array->read_box_in_order(box, std::as_writable_bytes(std::span(elements)));
      const plan::Shape turned(box.extent.rbegin(), box.extent.rend());
      for (std::int64_t e = 0; e < box.elements(); ++e) {
        std::int64_t rest = e, c_order = 0, step = box.elements();
        for (const std::int64_t side : box.extent) {
          step /= side;
          c_order += rest % side * step;
          rest /= side;
        }
        ASSERT_EQ(elements[static_cast<std::size_t>(e)], wanted[static_cast<std::size_t>(c_order)])
            << strides.what;
      }
    }
  }
}

TYPED_TEST(MemoryArray, IsNotCopiedWhereItsElementsAreOneBehindTheOther) {
  const auto bytes = this->memory(150'000, 0, false);
  const std::set<std::string> viewed = {"a",
                                        "a of no dimension",
                                        "C order",
                                        "Fortran order",
                                        "a.transpose(1, 0, 2)",
                                        "a.transpose(2, 0, 1)",
                                        "a.transpose(0, 2, 1)"};
  for (const Strides& strides : all_strides()) {
    if (plan::element_count(strides.shape) == 0) continue;
    const auto array =
        open_array(job::input_of(this->layout_of(strides, bytes, 0, false), "a"), 64);
    const auto view = array->view(0, array->pieces().count());
    ASSERT_EQ(view.has_value(), viewed.contains(strides.what)) << strides.what;
    if (view) {
      EXPECT_EQ(view->bytes.data(), bytes.data()) << strides.what;
    }
  }
}

TEST(MemoryRows, rows_that_lie_apart_are_not_copied) {
  std::vector<double> numbers(8 * 9000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);
  for (const std::int64_t piece_bytes : {1024, 24'000, 30'000, 1 << 20}) {
    for (const std::int64_t columns : {511, 512, 6000, 9000}) {
      const auto array = open_array(job::input_of({.bytes = std::as_bytes(std::span(numbers)),
                                                   .shape = {4, columns},
                                                   .strides_bytes = {2 * 9000 * 8, 8}},
                                                  "a"),
                                    piece_bytes);
      const plan::ArrayPieces& pieces = array->pieces();
      const bool is_viewed = columns >= 512 && pieces.elements(0) * 8 >= 4096;
      for (std::int64_t p = 0; p < pieces.count();) {
        const std::int64_t end = array->end_of_view(p);
        ASSERT_GT(end, p);
        const auto view = array->view(p, end);
        if (is_viewed) {
          ASSERT_TRUE(view) << columns << " " << piece_bytes;
        }
        std::size_t at = 0;
        for (; p < end; ++p) {
          std::vector<double> elements(static_cast<std::size_t>(pieces.elements(p)));
          array->read(p, std::as_writable_bytes(std::span(elements)));
          if (!view) continue;
          ASSERT_EQ(std::memcmp(elements.data(), view->bytes.data() + at, elements.size() * 8), 0);
          at += elements.size() * 8;
        }
        if (view) {
          ASSERT_EQ(at, view->bytes.size());
        }
      }
    }
  }
}

TEST(MemoryOwner, IsKeptByTheSourceAndByViews) {
  auto numbers = std::make_shared<std::vector<double>>(100, 1.5);
  const std::weak_ptr<std::vector<double>> watched = numbers;
  auto array = open_array(
      job::input_of({.bytes = std::as_bytes(std::span(*numbers)), .shape = {100}, .owner = numbers},
                    "a"),
      80);
  numbers.reset();
  auto view = array->view(1, 2);
  array.reset();
  ASSERT_FALSE(watched.expired());
  EXPECT_EQ(view->bytes.size(), 80U);
  view.reset();
  EXPECT_TRUE(watched.expired());
}

TEST(MemoryBools, AreZeroOrOne) {
  const std::vector<std::uint8_t> bytes = {0, 1, 2, 255};
  const auto array = open_array(job::input_of({.bytes = std::as_bytes(std::span(bytes)),
                                               .type = base::ElementType::u8,
                                               .shape = {4},
                                               .is_boolean = true},
                                              "a"),
                                64);
  std::vector<std::uint8_t> read(4);
  array->read(0, std::as_writable_bytes(std::span(read)));
  EXPECT_EQ(read, (std::vector<std::uint8_t>{0, 1, 1, 1}));
  EXPECT_FALSE(array->view(0, 1));
}

TEST(MemoryBounds, AreChecked) {
  const std::vector<double> numbers(10);
  const auto open = [&](job::Shape shape, job::Shape strides, std::int64_t offset) {
    open_array(job::input_of({.bytes = std::as_bytes(std::span(numbers)),
                              .offset_bytes = offset,
                              .shape = std::move(shape),
                              .strides_bytes = std::move(strides)},
                             "a"),
               64);
  };
  EXPECT_NO_THROW(open({10}, {}, 0));
  EXPECT_NO_THROW(open({10}, {-8}, 72));
  EXPECT_NO_THROW(open({0, 1000}, {}, 0));
  EXPECT_THROW(open({11}, {}, 0), base::Error);
  EXPECT_THROW(open({10}, {-8}, 64), base::Error);
  EXPECT_THROW(open({2, 5}, {8, 16}, 8), base::Error);
}

}  // namespace
}  // namespace tessera::store
