#include "seeds.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <string_view>

namespace tessera::deep {
namespace {

std::vector<unsigned> the_seeds(DEFAULT_PLACES);

unsigned number_in(const char* variable, unsigned otherwise) {
  const char* const text = std::getenv(variable);
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
}

void read_seeds(int count, char** words) {
  unsigned first = number_in("TESSERA_SEED", 1);
  the_seeds.resize(the_seeds.size() * number_in("TESSERA_SOAK", 1));
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view option = words[i];
    const auto number = static_cast<unsigned>(std::strtoul(words[i + 1], nullptr, 10));
    if (option == "--seed") first = number;
    if (option == "--places") the_seeds.resize(number);
  }
  std::iota(the_seeds.begin(), the_seeds.end(), first);
}

}  // namespace

const std::vector<unsigned>& seeds() {
  return the_seeds;
}

}  // namespace tessera::deep

int main(int count, char** words) {
  testing::InitGoogleTest(&count, words);
  tessera::deep::read_seeds(count, words);
  return RUN_ALL_TESTS();
}
