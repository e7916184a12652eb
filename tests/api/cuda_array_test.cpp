// Arrays in the memory of a GPU, on the CUDA runtime for tests: against the same arrays in memory.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tessera/reduce.hpp"

namespace {

using tessera::ArrayView;
using tessera::Context;
using tessera::Error;
using tessera::Partial;
using tessera::Reduction;
using tessera::Shape;
using tessera::Source;
using tessera::Type;

constexpr const char* kAll =
    "sum,mean,std,min,max,argmin,argmax,norm1,norm2,norminf,count_nonzero,prod,any,all";

Context& context_of(const std::string& device) {
  static Context automatic({.threads = 2});
  static Context gpu({.device = "cuda:0"});
  static Context cores({.device = "cpu", .threads = 2});
  return device == "auto" ? automatic : device == "cpu" ? cores : gpu;
}

std::string text_of(const tessera::Results& results) {
  std::string text;
  for (const tessera::Result& one : results.operations) {
    text += one.name;
    for (const tessera::Value& value : one.values) text += " " + value.text;
    text += "\n";
  }
  return text + std::to_string(results.nans) + " NaN";
}

/// Bytes in the memory of a device, and the same in that of the host.
class Both {
 public:
  Both(std::vector<std::byte> bytes, int device = 0) : host_(std::move(bytes)), number_(device) {
    cudaSetDevice(number_);
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaMalloc(&device_, host_.size());
    cudaMemcpyAsync(device_, host_.data(), host_.size(), cudaMemcpyHostToDevice, stream_);
    cudaSetDevice(0);
  }
  ~Both() {
    cudaSetDevice(number_);
    cudaFree(device_);
    cudaStreamDestroy(stream_);
    cudaSetDevice(0);
  }
  Both(const Both&) = delete;
  Both& operator=(const Both&) = delete;

  /// `view.data` is the offset of the first element.
  Source on_host(ArrayView view) const {
    view.data = host_.data() + offset(view);
    return Source::memory(view);
  }
  Source on_device(ArrayView view) const {
    view.data = static_cast<const std::byte*>(device_) + offset(view);
    return Source::cuda(view, stream_);
  }

 private:
  static std::ptrdiff_t offset(const ArrayView& view) {
    return static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(view.data));
  }

  std::vector<std::byte> host_;
  int number_;
  void* device_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

std::vector<std::byte> random_bytes(std::size_t count) {
  std::mt19937 random(7);
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

const void* at(std::ptrdiff_t offset) {
  return reinterpret_cast<const void*>(offset);  // NOLINT(performance-no-int-to-ptr)
}

void expect_equal(const Both& both, const ArrayView& view, const Reduction& reduction) {
  const std::string expected = text_of(reduce(context_of("cpu"), both.on_host(view), reduction));
  for (const char* const device : {"auto", "cuda:0", "cpu"}) {
    EXPECT_EQ(text_of(reduce(context_of(device), both.on_device(view), reduction)), expected)
        << device;
  }
}

TEST(CudaArrays, of_every_type) {
  constexpr std::int64_t kElements = 5003;
  const Both both(random_bytes(kElements * 8));
  for (int type = 0; type <= static_cast<int>(Type::f64); ++type) {
    SCOPED_TRACE(type);
    expect_equal(both, {.type = static_cast<Type>(type), .shape = {kElements}}, {{{"op", kAll}}});
    expect_equal(both, {.type = static_cast<Type>(type), .shape = {kElements}},
                 {{{"op", kAll}, {"nan", "skip"}}});
  }
}

TEST(CudaArrays, that_begin_and_end_anywhere) {
  const Both both(random_bytes(4096));
  for (const std::int64_t elements : {1, 2, 3, 4, 5, 7, 8, 100, 101}) {
    for (std::ptrdiff_t first = 0; first < 9; ++first) {
      SCOPED_TRACE(std::to_string(elements) + " from " + std::to_string(first));
      expect_equal(both, {.data = at(first * 4), .type = Type::i32, .shape = {elements}},
                   {{{"op", kAll}}});
      expect_equal(both, {.data = at(first), .type = Type::u8, .shape = {elements}},
                   {{{"op", kAll}}});
    }
  }
  // Not at a multiple of its size: no kernel could read it.
  expect_equal(both, {.data = at(3), .type = Type::f64, .shape = {100}}, {{{"op", kAll}}});
}

TEST(CudaArrays, of_any_strides) {
  const Both both(random_bytes(std::size_t{24} * 35 * 46 * 4));
  const std::vector<ArrayView> views = {
      {.type = Type::i32, .shape = {24, 35, 46}},
      {.type = Type::i32, .shape = {46, 35, 24}, .strides_bytes = {4, 184, 6440}},
      {.type = Type::i32, .shape = {35, 24, 46}, .strides_bytes = {184, 6440, 4}},
      {.type = Type::i32, .shape = {24, 35, 23}, .strides_bytes = {6440, 184, 8}},
      {.type = Type::i32, .shape = {12, 35, 46}, .strides_bytes = {12880, 184, 4}},
      {.data = at(23 * 6440),
       .type = Type::i32,
       .shape = {24, 35, 46},
       .strides_bytes = {-6440, 184, 4}},
      {.data = at(45 * 4),
       .type = Type::i32,
       .shape = {24, 35, 46},
       .strides_bytes = {6440, 184, -4}},
      {.type = Type::i32, .shape = {24, 5, 46}, .strides_bytes = {6440, 0, 4}},
      {.type = Type::i32, .shape = {3, 1000}, .strides_bytes = {4, 8}},
      {.type = Type::i32, .shape = {1000, 50}, .strides_bytes = {4, 4}},
      {.type = Type::i16, .shape = {24, 1, 46}, .strides_bytes = {6440, 99, 4}},
      {.type = Type::i32, .shape = {}}};
  for (std::size_t i = 0; i < views.size(); ++i) {
    SCOPED_TRACE(i);
    expect_equal(both, views[i], {{{"op", kAll}}});
    expect_equal(both, views[i], {{{"op", "sum,std"}}});
    const Source source = both.on_device(views[i]);
    std::vector<std::byte> found(
        sizeof(std::int32_t) *
        static_cast<std::size_t>(std::accumulate(views[i].shape.begin(), views[i].shape.end(),
                                                 std::int64_t{1}, std::multiplies<>())));
    if (views[i].type == Type::i16) found.resize(found.size() / 2);
    std::vector<std::byte> expected = found;
    const tessera::Box box{Shape(views[i].shape.size()), views[i].shape};
    source.read(box, found);
    both.on_host(views[i]).read(box, expected);
    EXPECT_TRUE(found == expected);
  }
}

TEST(CudaArrays, of_more_than_the_memory_for_copies) {
  const Both both(random_bytes(std::size_t{5} << 20));
  for (const ArrayView& view : std::vector<ArrayView>{
           {.type = Type::u16, .shape = {2500000}},
           {.type = Type::u8, .shape = {2, 1100000}, .strides_bytes = {2000000, 1}},
           {.type = Type::u8, .shape = {1000, 1500}, .strides_bytes = {3000, 1}}}) {
    expect_equal(both, view, {{{"op", "median,argmin"}}});
    const auto elements = static_cast<std::size_t>(view.shape[0]) *
                          static_cast<std::size_t>(view.shape.size() > 1 ? view.shape[1] : 2);
    std::vector<std::byte> found(elements), expected(elements);
    const tessera::Box box{Shape(view.shape.size()), view.shape};
    both.on_device(view).read(box, found);
    both.on_host(view).read(box, expected);
    EXPECT_TRUE(found == expected);
  }
}

TEST(CudaArrays, for_what_is_copied) {
  const Both both(random_bytes(40000));
  const ArrayView view{.type = Type::i16, .shape = {100, 200}};
  for (const char* const op :
       {"median", "quantile=0.1,0.9", "histogram=7", "skewness,sum", "topk=3", "nunique"}) {
    SCOPED_TRACE(op);
    expect_equal(both, view, {{{"op", op}}});
  }
  const auto expression = [&](const Source& source) {
    return Source::expression("2*x+1", {{"x", source}});
  };
  EXPECT_EQ(
      text_of(reduce(context_of("auto"), expression(both.on_device(view)), {{{"op", "sum"}}})),
      text_of(reduce(context_of("cpu"), expression(both.on_host(view)), {{{"op", "sum"}}})));
}

TEST(CudaArrays, partial_results_merge) {
  const Both both(random_bytes(80000));
  const Reduction reduction{{{"op", "sum,std,argmin,min"}}};
  const auto part = [&](std::int64_t first, std::int64_t count) {
    const ArrayView view{.data = at(first * 8), .type = Type::i64, .shape = {count}};
    return Partial::of(context_of("auto"), both.on_device(view), reduction, first);
  };
  Partial all = part(6001, 3999);
  all.merge(part(0, 6001));
  EXPECT_EQ(text_of(all.results()),
            text_of(reduce(context_of("cpu"), both.on_host({.type = Type::i64, .shape = {10000}}),
                           reduction)));
}

TEST(CudaArrays, on_the_second_device_leave_the_callers_current_one) {
  const Both both(random_bytes(8000), 1);
  const ArrayView view{.type = Type::f64, .shape = {1000}};
  EXPECT_EQ(text_of(reduce(context_of("auto"), both.on_device(view), {{{"op", kAll}}})),
            text_of(reduce(context_of("cpu"), both.on_host(view), {{{"op", kAll}}})));
  // cuda:0 is asked for, so this one only copies.
  EXPECT_EQ(text_of(reduce(context_of("cuda:0"), both.on_device(view), {{{"op", kAll}}})),
            text_of(reduce(context_of("cpu"), both.on_host(view), {{{"op", kAll}}})));
  int device = -1;
  cudaGetDevice(&device);
  EXPECT_EQ(device, 0);
}

TEST(CudaArrays, without_elements) {
  const Source empty = Source::cuda({.type = Type::f32, .shape = {0, 3}});
  EXPECT_EQ(text_of(reduce(context_of("auto"), empty, {{{"op", "sum,count_nonzero"}}})),
            "sum 0\ncount_nonzero 0\n0 NaN");
}

// With a fault in the first kernel.
TEST(CudaArrayFaults, end_the_call_with_an_error) {
  const Both both(random_bytes(8000));
  const Source source = both.on_device({.type = Type::f64, .shape = {1000}});
  for (int call = 0; call < 2; ++call) {
    try {
      reduce(context_of("auto"), source, {{{"op", "sum"}}});
      ADD_FAILURE() << "the GPU did not fail";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("cuda:0: "), std::string::npos) << error.what();
    }
  }
}

// On a device whose memory is full.
TEST(CudaArrayOnFullDevice, are_read_from_it) {
  const Both both(random_bytes(8000));
  expect_equal(both, {.type = Type::f64, .shape = {1000}}, {{{"op", "sum,argmin,std"}}});
}

std::string error_of(const ArrayView& view) {
  try {
    Source::cuda(view);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(CudaArrays, that_are_none_are_refused) {
  const std::vector<double> host(10);
  EXPECT_EQ(error_of({.data = host.data(), .shape = {10}}),
            "an array of CUDA: no memory of a GPU begins at its address");
  EXPECT_EQ(error_of({.data = host.data(), .shape = {10}, .swapped = true}),
            "an array of CUDA: has the other byte order");
  EXPECT_EQ(error_of({.data = host.data(), .shape = {10}, .strides_bytes = {8, 8}}),
            "2 strides for 1 dimensions");
}

}  // namespace
