// Functions of vectors, of each instruction set, and of OpenCL devices have the bits of the scalar
// code.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <numeric>

#include "device/opencl/program.hpp"
#include "device/opencl/queue.hpp"
#include "tests/kernels/function_arguments.hpp"

namespace tessera::device::opencl {
/// Generated from functions.cl.
extern const char* const kFunctionsSource;
}  // namespace tessera::device::opencl

namespace tessera::kernels::functions {
namespace {

constexpr std::size_t kRandom = 20'000;

class Parity : public testing::TestWithParam<FunctionRow> {
 protected:
  Function function() const { return GetParam().function; }
};

/// Makes this set the best one for the calls of its lifetime.
class OnlySet {
 public:
  explicit OnlySet(std::int64_t target) { hwy::SetSupportedTargetsForTest(target); }
  ~OnlySet() { hwy::SetSupportedTargetsForTest(0); }
  OnlySet(const OnlySet&) = delete;
  OnlySet& operator=(const OnlySet&) = delete;
};

/// The sets of this machine, and 0 for its best one.
std::vector<std::int64_t> sets() {
  std::vector<std::int64_t> found = {0};
  for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1)
    found.push_back(rest & -rest);
  return found;
}

TEST_P(Parity, vectors_of_f64_have_the_scalar_bits) {
  const Arguments arguments = all_arguments(function(), kRandom);
  const auto defined = defined_values(function(), arguments);
  for (const std::int64_t set : sets()) {
    const OnlySet only(set);
    std::vector<double> values(defined.size());
    call(function(), arguments.x.data(), arguments.y.data(), values.data(), values.size());
    EXPECT_EQ(first_difference(values, defined, arguments), "") << "set " << set;
  }
}

TEST_P(Parity, vectors_of_f32_have_the_scalar_bits) {
  const Arguments arguments = all_arguments(function(), kRandom);
  const std::vector<float> x(arguments.x.begin(), arguments.x.end());
  const std::vector<float> y(arguments.y.begin(), arguments.y.end());
  std::vector<float> defined;
  for (std::size_t i = 0; i < x.size(); ++i) defined.push_back(call(function(), x[i], y[i]));
  for (const std::int64_t set : sets()) {
    const OnlySet only(set);
    std::vector<float> values(defined.size());
    call(function(), x.data(), y.data(), values.data(), values.size());
    EXPECT_EQ(first_difference(values, defined, arguments), "") << "set " << set;
  }
}

/// A number that follows the last value is not touched; the input may be the output.
TEST_P(Parity, blocks_of_any_length_work_in_place) {
  const Arguments arguments = random_arguments(function(), 20, 1);
  const auto defined = defined_values(function(), arguments);
  for (std::size_t count = 0; count <= 19; ++count) {
    std::vector<double> values = arguments.x;
    call(function(), values.data(), arguments.y.data(), values.data(), count);
    std::vector<double> expected = arguments.x;
    std::copy_n(defined.begin(), count, expected.begin());
    EXPECT_EQ(first_difference(values, expected, arguments), "") << count;
  }
}

/// The kernel of functions.cl on one device.
class OpenClFunctions {
 public:
  explicit OpenClFunctions(const device::opencl::FoundDevice& found)
      : queue_(std::make_shared<device::opencl::OpenDevice>(device::opencl::api(), found, 0)),
        program_(build_program(queue_.cl(), queue_.device().context.get(), queue_.device().found,
                               device::opencl::kFunctionsSource)) {}

  std::vector<double> operator()(Function function, const Arguments& arguments) const {
    constexpr std::size_t kThreads = 64;
    const std::size_t count = arguments.x.size();
    const auto groups = (count + kThreads - 1) / kThreads;
    const auto x = memory(arguments.x);
    const auto y = memory(arguments.y);
    const auto kernel = queue_.make_kernel(program_, "apply_function");
    queue_.launch(kernel.get(), {groups, kThreads}, static_cast<cl_uint>(function), x.get(),
                  y.get(), static_cast<cl_ulong>(count));
    std::vector<double> values(count);
    queue_.read(x.get(), 0, std::as_writable_bytes(std::span(values)));
    queue_.wait();
    return values;
  }

 private:
  device::opencl::DeviceMemory memory(const std::vector<double>& values) const {
    auto made = queue_.make_memory(values.size() * sizeof(double));
    queue_.write(made.get(), std::as_bytes(std::span(values)));
    queue_.wait();
    return made;
  }

  device::opencl::CommandQueue queue_;
  device::opencl::Program program_;
};

TEST(FunctionsOfOpenCl, have_the_scalar_bits) {
  std::string reason;
  const auto found = device::opencl::find_devices(reason);
  if (found.empty()) GTEST_SKIP() << "no OpenCL: " << reason;
  for (const auto& device : found) {
    const OpenClFunctions functions(device);
    for (const FunctionRow& row : kFunctions) {
      const Arguments arguments = all_arguments(row.function, kRandom);
      const auto defined = defined_values(row.function, arguments);
      EXPECT_EQ(first_difference(functions(row.function, arguments), defined, arguments), "")
          << row.name << " on " << device.info.name;
    }
  }
}

std::string name_of(const testing::TestParamInfo<FunctionRow>& info) {
  return std::string(info.param.name);
}
INSTANTIATE_TEST_SUITE_P(All, Parity, testing::ValuesIn(kFunctions), name_of);

}  // namespace
}  // namespace tessera::kernels::functions
