// An image in the memory of the program, its progress, and a picture of it. No file is written.
#include <cstdint>
#include <cstdio>
#include <tessera/tessera.hpp>
#include <vector>

int main() {
  tessera::Context context({.device = "cpu"});
  const tessera::ImageSpec image(
      {{"view", "seahorse"}, {"size", "320x180"}, {"iterations", "2000"}});
  std::vector<std::uint16_t> counts(320 * 180);
  const tessera::FieldMemory memory{tessera::Field::iterations, counts.data(), 320 * 2};
  std::int64_t calls = 0;
  tessera::render(context, image, {&memory, 1},
                  {.progress = [&](const tessera::Progress&) { ++calls; }});
  std::size_t escaped = 0;
  for (const std::uint16_t count : counts) escaped += count < 2000 ? 1 : 0;
  const auto png = tessera::picture(
      {.width = 320,
       .height = 180,
       .limit = image.iterations(),
       .values = {.data = counts.data(), .type = tessera::Type::u16, .shape = {180, 320}}},
      {{"palette", "ember"}});
  std::printf("%zu of %zu pixels escaped, %zu bytes of PNG\n", escaped, counts.size(), png.size());
  try {
    tessera::ImageSpec({{"view", "seahorze"}});
  } catch (const tessera::Error& error) {
    std::printf("%d: %s\n", static_cast<int>(error.code()), error.what());
    return escaped > counts.size() / 2 && png.size() > 1000 ? 0 : 1;
  }
  return 1;
}
