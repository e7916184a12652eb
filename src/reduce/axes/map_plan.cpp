#include "reduce/axes/map_plan.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "plan/run_box.hpp"
#include "reduce/input/open_input.hpp"
#include "reduce/reduce_files.hpp"

namespace tessera::reduce {
namespace {

/// Size of a chunk, unless the job or the input says something else.
// crossed by: test_have_chunks_of_a_mebibyte
constexpr std::int64_t kChunkBytes = std::int64_t{1} << 20;
// not crossed: only refuses
constexpr std::int64_t kMaxChunkBytes = std::int64_t{1} << 30;

bool has_chunks(const job::MapJob& job, const job::Shape& shape, const std::string& file) {
  return job::has_datasets(file) && (job.compress > 0 || !job.chunk.empty()) && !shape.empty() &&
         plan::element_count(shape) > 0;
}

/// The shape of the chunks of the output: no side is longer than the array.
plan::Shape chunk_of(const job::MapJob& job, const job::Shape& shape, const plan::Shape& grain,
                     std::size_t element_bytes) {
  plan::Shape chunk = job.chunk.empty() ? grain : job.chunk;
  if (chunk.size() != shape.size()) {
    throw base::usage_error("--chunk {}: the array is {}; give a side for each dimension",
                            job::format_shape(chunk), job::format_shape(shape));
  }
  std::int64_t bytes = static_cast<std::int64_t>(element_bytes);
  for (std::size_t d = 0; d < chunk.size(); ++d) {
    chunk[d] = std::min(chunk[d], shape[d]);
    if (chunk[d] > kMaxChunkBytes / bytes) {
      throw base::usage_error("--chunk {}: a chunk has 1 GiB at most",
                              job::format_shape(job.chunk));
    }
    bytes *= chunk[d];
  }
  return chunk;
}

/// Tiles are pieces of the source, or chunks of the output, wherever those of the inputs end.
plan::AxisPlan plan_tiles(const store::ArraySource& source, const job::MapJob& job,
                          bool in_chunks) {
  const job::Shape& shape = source.info().shape;
  const std::size_t element_bytes = base::element_bytes(source.info().type);
  const std::vector<bool> kept(shape.size());
  plan::Shape grain = source.chunk_shape();
  const plan::Shape rows = grain.empty() ? plan::Shape() : source.pieces().part_rows();
  if (grain.empty()) {
    const std::int64_t elements =
        (in_chunks ? kChunkBytes : piece_bytes(job)) / static_cast<std::int64_t>(element_bytes);
    grain = plan::piece_of_axes(shape, kept, source.order(), elements, elements);
  }
  if (!in_chunks) return {shape, kept, grain, source.order(), rows};
  return {shape, kept, chunk_of(job, shape, grain, element_bytes),
          plan::StorageOrder::last_dimension_fastest};
}

/// The shape of a tile that no end of the array cuts.
plan::Shape whole_tile(const plan::AxisPlan& plan) {
  return plan.tiles() > 0 ? plan.tile(0).extent : plan::Shape();
}

/// The chunks of a shard, in each dimension: consecutive tiles, so that the thread that writes gets
/// them one behind the other. There are some shards for each thread, and none is large.
// crossed by: test_shards_of_many_chunks
plan::Shape chunks_of_shard(const job::Shape& shape, const plan::Shape& chunk,
                            std::size_t element_bytes) {
  constexpr std::int64_t kShardBytes = std::int64_t{32} << 20;
  constexpr std::int64_t kShards = 64;
  // not crossed: takes 262144 chunks
  constexpr std::int64_t kMaxChunks = 4096;
  plan::Shape grid;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    grid.push_back((shape[d] + chunk[d] - 1) / chunk[d]);
  }
  const std::int64_t chunk_bytes = std::max<std::int64_t>(
      1, plan::element_count(chunk) * static_cast<std::int64_t>(element_bytes));
  return plan::run_box(
      grid, std::min({kMaxChunks, kShardBytes / chunk_bytes, plan::element_count(grid) / kShards}));
}

/// Puts chunks into shards where the format has such.
void set_shards(AxisReduction& task, const job::MapJob& job) {
  std::size_t bytes = 0;
  for (const statistics::AnswerType& result : task.results) {
    bytes = std::max(bytes, result.bytes_each());
  }
  for (std::size_t i = 0; i < task.arrays.size(); ++i) {
    store::WrittenArray& array = task.arrays[i];
    if (array.chunk.empty() || !job::is_folder_of_arrays(job.mapped[i].file)) continue;
    array.shard = chunks_of_shard(array.shape, array.chunk, bytes);
    task.tiles_together = plan::element_count(array.shard);
    for (std::size_t d = 0; d < array.shard.size(); ++d) array.shard[d] *= array.chunk[d];
  }
}

std::vector<std::string> named_files(const job::MapJob& job) {
  std::vector<std::string> files;
  if (!job.dataset.empty()) files.push_back(job.output);
  for (const job::NamedOutput& output : job.outputs) {
    if (!output.dataset.empty()) files.push_back(output.file);
  }
  return files;
}

}  // namespace

void describe_map(const job::MapJob& job, AxisReduction& task) {
  task.named_files = named_files(job);
  task.attributes = result_attributes(job, "tessera-map");
  task.ranks_may_write = true;
  const job::Shape& shape = task.source->info().shape;
  const bool in_chunks = std::ranges::any_of(
      task.files, [&](const std::string& file) { return has_chunks(job, shape, file); });
  task.plan = plan_tiles(*task.source, job, in_chunks);
  const std::span<const MappedExpression> expressions = mapped_source(task).expressions();
  for (std::size_t i = 0; i < job.mapped.size(); ++i) {
    const job::MappedArray& array = job.mapped[i];
    const expression::Type type = expressions[i].program.type;
    const base::ElementType element = expression::element_of(type);
    task.results.push_back({.type = element});
    task.arrays.push_back(
        {.name = array.name,
         .type = element,
         .is_boolean = type == expression::Type::b1,
         .shape = shape,
         .chunk = has_chunks(job, shape, array.file) ? whole_tile(task.plan) : plan::Shape(),
         .compress = job.compress});
  }
  set_shards(task, job);
}

}  // namespace tessera::reduce
