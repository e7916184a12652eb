// usage: damaged_files TRIALS SEED < RANGES
//
// Opens and reads files of arrays that are damaged by chance. Each line of RANGES is a part of a
// file that may be damaged, "INPUT FILE BEGIN END": those with the same INPUT belong to one array,
// as `tessera reduce` takes it, of which a trial damages one part. Files are as they were after it.
// Allowed is what is read, and one line about what cannot be read.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "job/arrays/array_input.hpp"
#include "reduce/input/open_input.hpp"
#include "reduce/input/piece_reader.hpp"
#include "store/arrays/array_formats.hpp"
#include "store/arrays/dimension_scales.hpp"
#include "tests/damage.hpp"

namespace tessera {
namespace {

constexpr std::int64_t kPieceBytes = 4096;
constexpr std::uint64_t kMemoryBytes = 64 << 20;  ///< a reader that needs more is not asked
constexpr std::int64_t kMaxPieces = 64;           ///< that are read, of any number
constexpr unsigned kHangSeconds = 600;

struct Part {
  std::string file;
  std::size_t begin = 0, end = 0;
};

struct Trials {
  std::int64_t all = 0, noticed = 0, too_large = 0;

  void operator+=(const Trials& other) {
    all += other.all;
    noticed += other.noticed;
    too_large += other.too_large;
  }
};

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// Not cut to nothing first, after which ext4 would wait for the disk.
void write(const std::string& path, std::string_view bytes) {
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary) << bytes;
  std::filesystem::resize_file(path, bytes.size());
}

/// A part that is not the whole file stays as long as it was.
std::string damaged(const std::string& whole, const Part& part, std::mt19937& random) {
  const auto* const first = reinterpret_cast<const std::byte*>(whole.data());
  base::Bytes bytes(first + part.begin, first + part.end);
  for (auto times = 1 + random() % 3; times > 0; --times) damage(bytes, random);
  if (part.begin > 0 || part.end < whole.size()) bytes.resize(part.end - part.begin);
  const std::string middle(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return whole.substr(0, part.begin) + middle + whole.substr(part.end);
}

/// What `tessera info`, `serve` and `reduce` do with a file. False if its readers are too large.
bool read(const std::string& text) {
  const job::ArrayInput input = job::parse_array_input(text);
  const store::PathHead head(input.path);
  const store::ArrayDriver* const driver = store::driver_of(head);
  if (driver != nullptr && driver->list != nullptr) driver->list(input.path);
  const auto source = reduce::open_input({&input, 1}, kPieceBytes, reduce::MissingAs::no_element);
  if (reduce::PieceReader::memory_bytes(*source) > kMemoryBytes) return false;
  const auto& lengths = source->info().shape;
  const bool is_small = std::ranges::all_of(lengths, [](auto side) { return side <= 4096; });
  if (is_small) store::read_scales(source->dimensions(), lengths);
  reduce::PieceReader reader(*source, 0);
  const std::int64_t pieces = source->pieces().count();
  for (std::int64_t piece = 0; piece < std::min(pieces, kMaxPieces); ++piece) {
    reader.read(piece, pieces);
  }
  if (pieces > 0) reader.read(pieces - 1, pieces);
  return true;
}

Trials try_damaged(const std::string& input, const std::vector<Part>& parts, std::int64_t trials,
                   std::mt19937& random) {
  Trials counts;
  for (; counts.all < trials; ++counts.all) {
    const Part& part = parts[random() % parts.size()];
    const std::string whole = contents(part.file);
    write(part.file, damaged(whole, part, random));
    ::alarm(kHangSeconds);
    try {
      if (!read(input)) ++counts.too_large;
    } catch (const base::Error& error) {
      ++counts.noticed;
      if (std::string_view(error.what()).find('\n') != std::string_view::npos) throw;
    }
    write(part.file, whole);
  }
  return counts;
}

int run(std::int64_t trials, unsigned seed) {
  std::map<std::string, std::vector<Part>> inputs;
  std::string input;
  for (Part part; std::cin >> input >> part.file >> part.begin >> part.end;) {
    inputs[input].push_back(part);
  }
  Trials all;
  for (const auto& [name, parts] : inputs) {
    std::mt19937 random(seed);
    fmt::print(stderr, "{}\n", name);  // for what ends the program
    const Trials counts = try_damaged(name, parts, trials, random);
    fmt::print("{} {} {} {}\n", name, counts.all, counts.noticed, counts.too_large);
    all += counts;
  }
  fmt::print("all {} {} {}\n", all.all, all.noticed, all.too_large);
  return 0;
}

/// What is allocated without a look at its size ends the program.
void limit_memory() {
#if !defined(TESSERA_SANITIZED)  // a sanitizer has its own limit, and reserves terabytes
  const rlimit limit{rlim_t{4} << 30, rlim_t{4} << 30};
  ::setrlimit(RLIMIT_AS, &limit);
#endif
}

}  // namespace
}  // namespace tessera

int main(int count, char** arguments) {
  if (count != 3) return 2;
  tessera::limit_memory();
  try {
    return tessera::run(std::stoll(arguments[1]), static_cast<unsigned>(std::stoul(arguments[2])));
  } catch (const std::exception& error) {
    fmt::print(stderr, "damaged_files: {}\n", error.what());
    return 1;
  }
}
