#include "post/color/shaded_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace tessera::post {

void check_shading(const store::ImageHeader& header, const job::Coloring& coloring,
                   const std::string& path) {
  for (const job::Field field : job::shading_fields(coloring)) {
    if (std::ranges::any_of(header.fields, [&](const auto& one) { return one.first == field; }))
      continue;
    const bool edge = field == job::Field::distance;
    throw base::missing_error("--{}: {} has no {}; render it with --fields iterations,smooth,{}",
                              edge ? fmt::format("distance {}", coloring.distance) : "light", path,
                              edge ? "distances" : "gradient", job::field_choice(field));
  }
}

ShadedReader::Buffers::Buffers(const ShadedReader& reader) : values(reader.values_) {
  for (const job::Field field : job::kMoreFields) {
    if (reader.beside_[field]) beside[field].emplace(*reader.beside_[field]);
  }
}

job::PerField<const std::byte*> ShadedReader::read_beside(Buffers& buffers,
                                                          std::int64_t tile) const {
  job::PerField<const std::byte*> found;
  for (const job::Field field : job::kMoreFields) {
    std::optional<ChunkReader::Buffers>& chunk = buffers.beside[field];
    if (chunk && beside_[field]->read(*chunk, tile)) found[field] = chunk->values.data();
  }
  return found;
}

void ShadedReader::for_each_run(const base::PixelRect& part, Buffers& buffers,
                                const std::function<void(const ValueRun&)>& use) {
  for (const std::int64_t tile : values_.tiles_of(part)) {
    const auto beside = read_beside(buffers, tile);
    values_.for_each_run_of(tile, part, buffers.values, [&](const ChunkReader::Run& run) {
      ValueRun shaded{.x = run.x,
                      .y = run.y,
                      .pixels = static_cast<std::size_t>(run.pixels),
                      .values = run.values};
      for (const job::Field field : job::kMoreFields) {
        if (!beside[field] || !run.values) continue;
        const auto first = static_cast<std::size_t>(run.values - buffers.values.values.data()) /
                           base::element_bytes(type());
        shaded.beside[field] = beside[field] + first * sizeof(float);
      }
      use(shaded);
    });
  }
}

}  // namespace tessera::post
