// The text of expressions compiles with the real NVRTC, for the architectures of real GPUs. That
// needs a toolkit and no GPU.
#include "device/cuda/nvrtc.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "device/cuda/program.hpp"
#include "device/device_error.hpp"
#include "expression/functions.hpp"
#include "expression/steps.hpp"
#include "tests/expression/evaluated.hpp"

namespace tessera::device::cuda {
namespace {

constexpr int kArchitectures[] = {80, 90};

class RealNvrtc : public testing::Test {
 protected:
  void SetUp() override {
    try {
      nvrtc_.emplace();
    } catch (const DeviceError& error) {
      GTEST_SKIP() << error.what();
    }
  }

  /// Of arrays a, b and c of the type.
  static std::string source(const std::string& text, base::ElementType type) {
    std::vector<expression::TestArray> arrays;
    for (const std::string name : {"a", "b", "c"}) arrays.push_back({.array = {name, type}});
    const auto steps = expression::steps_of(expression::parsed(text, arrays));
    return program_source(steps->steps, steps->results);
  }

  void expect_compiled(const std::string& text, base::ElementType type, int architecture) {
    const auto code = nvrtc_->compile(source(text, type), compiler_options(architecture));
    Elf64_Ehdr head{};
    ASSERT_GT(code.size(), sizeof(head)) << text;
    std::memcpy(&head, code.data(), sizeof(head));
    EXPECT_EQ(std::memcmp(head.e_ident, ELFMAG, SELFMAG), 0) << text;
    EXPECT_EQ(head.e_machine, EM_CUDA) << text;
    EXPECT_NE(std::string(code.begin(), code.end()).find(".text.ts_map"), std::string::npos)
        << text;
  }

  /// The compiler's words, or "" if it compiles.
  std::string refusal(const std::string& text, const std::vector<std::string>& options) {
    try {
      nvrtc_->compile(text, options);
      return "";
    } catch (const DeviceError& error) {
      return error.what();
    }
  }

  std::optional<Nvrtc> nvrtc_;
};

TEST_F(RealNvrtc, compiles_every_function) {
  std::string sum = "a";
  for (const expression::Function& function : expression::functions()) {
    const std::string name(function.name);
    sum += name == "pow" ? " + a**b" : " + " + name + (function.arity == 2 ? "(a, b)" : "(a)");
  }
  for (const int architecture : kArchitectures) {
    expect_compiled(sum, base::ElementType::f64, architecture);
  }
}

TEST_F(RealNvrtc, compiles_operations_of_each_type) {
  using base::ElementType;
  for (const int architecture : kArchitectures) {
    for (const ElementType type : {ElementType::i8, ElementType::u16, ElementType::i64}) {
      expect_compiled("where(a < b, a // b, a % c) + (a & b | ~c) * a ** 3 + sign(a) + index", type,
                      architecture);
    }
    for (const ElementType type : {ElementType::f16, ElementType::f32, ElementType::f64}) {
      expect_compiled(
          "fma(a, b, c) / sqrt(a) - min(rint(a), floor(b)) + f4(a) % f2(b) // max(a, ceil(c))",
          type, architecture);
    }
  }
}

TEST_F(RealNvrtc, says_what_it_refuses) {
  EXPECT_NE(
      refusal("no C++", compiler_options(90)).find("NVRTC_ERROR_COMPILATION: expression.cu(1"),
      std::string::npos)
      << refusal("no C++", compiler_options(90));
  const std::string of_type = source("a + b", base::ElementType::f64);
  EXPECT_NE(refusal(of_type, compiler_options(1)).find("--gpu-architecture"), std::string::npos)
      << refusal(of_type, compiler_options(1));
  EXPECT_EQ(refusal(of_type, compiler_options(90)), "");
}

/// Sets the variable as long as it lives.
class NamedLibrary {
 public:
  explicit NamedLibrary(const char* name) {
    if (const char* const value = std::getenv("TESSERA_NVRTC")) before_ = value;
    ::setenv("TESSERA_NVRTC", name, 1);
  }
  ~NamedLibrary() {
    before_ ? ::setenv("TESSERA_NVRTC", before_->c_str(), 1) : ::unsetenv("TESSERA_NVRTC");
  }
  NamedLibrary(const NamedLibrary&) = delete;
  NamedLibrary& operator=(const NamedLibrary&) = delete;

 private:
  std::optional<std::string> before_;
};

TEST(Nvrtc, is_the_library_that_is_named) {
  for (const char* const name : {"off", "/no/such/library.so", "libm.so.6"}) {
    const NamedLibrary named(name);
    EXPECT_THROW(Nvrtc(), DeviceError) << name;
  }
}

}  // namespace
}  // namespace tessera::device::cuda
