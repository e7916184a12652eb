// Exact statistics of an array that exists nowhere: element i is 1 / (i + 1).
#include <cstdio>
#include <cstring>
#include <tessera/tessera.hpp>

class Harmonic : public tessera::Reader {
 public:
  tessera::Type type() const override { return tessera::Type::f64; }
  tessera::Shape shape() const override { return {1'000'000}; }
  void read(const tessera::Box& box, std::span<std::byte> elements) const override {
    for (std::int64_t i = 0; i < box.extent[0]; ++i) {
      const double value = 1.0 / static_cast<double>(box.origin[0] + i + 1);
      std::memcpy(elements.data() + 8 * i, &value, 8);
    }
  }
};

int main() {
  tessera::Context context({.device = "cpu", .threads = 2});
  const auto array = tessera::Source::custom(std::make_shared<Harmonic>(), "1/n");
  const auto found = tessera::reduce(context, array, {{{"op", "sum,argmin,median"}}});
  for (const auto& one : found.operations) {
    std::printf("%s %s\n", one.name.c_str(), one.values[0].text.c_str());
  }
  return found["argmin"].values[0].text == "999999" ? 0 : 1;
}
