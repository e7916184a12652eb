// What reading a file costs without doing anything with it, for tools/bench to hold `tessera
// reduce` against: threads that take the next piece, pread it into a buffer of their own, and
// forget it. The buffers begin with a page: where malloc puts them, pread takes twice as long.
// Prints one line of JSON.
//
//   pread_bench FILE [--threads 2] [--piece-bytes 1048576] [--cold]
//
// --cold first drops the file's clean pages from the cache, of this file alone.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "base/file/page_buffer.hpp"

namespace {

using namespace tessera;

struct Settings {
  std::string file;
  int threads = 2;
  std::size_t piece_bytes = std::size_t{1} << 20;
  bool cold = false;
};

[[noreturn]] void fail(const std::string& path, const char* call) {
  throw std::system_error(errno, std::generic_category(), path + ": " + call);
}

/// The file, open while this lives.
class File {
 public:
  explicit File(const std::string& path)
      : path_(path), descriptor_(::open(path.c_str(), O_RDONLY)) {
    if (descriptor_ < 0) fail(path_, "open");
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) fail(path_, "fstat");
    bytes_ = static_cast<std::size_t>(status.st_size);
  }
  ~File() { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::size_t bytes() const { return bytes_; }
  void drop_from_cache() const {
    if (::fdatasync(descriptor_) != 0) fail(path_, "fdatasync");
    errno = ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_DONTNEED);
    if (errno != 0) fail(path_, "posix_fadvise");
  }
  /// Bytes read at `offset`, fewer than asked for at the end of the file.
  std::size_t read(std::size_t offset, std::span<std::byte> to) const {
    std::size_t done = 0;
    while (done < to.size()) {
      const ssize_t got = ::pread(descriptor_, to.data() + done, to.size() - done,
                                  static_cast<off_t>(offset + done));
      if (got < 0) fail(path_, "pread");
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

 private:
  std::string path_;
  int descriptor_;
  std::size_t bytes_ = 0;
};

/// Seconds for the whole file.
double read_all(const File& file, const Settings& settings) {
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> total = 0;
  const auto start = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> threads;
    threads.reserve(static_cast<unsigned>(settings.threads));
    for (int i = 0; i < settings.threads; ++i) {
      threads.emplace_back([&] {
        base::PageBuffer buffer;
        const auto piece = buffer.take(settings.piece_bytes);
        for (std::size_t at = next++ * piece.size(); at < file.bytes();
             at = next++ * piece.size()) {
          total += file.read(at, piece);
        }
      });
    }
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (total != file.bytes())
    throw std::runtime_error(settings.file + ": changed while it was read");
  return seconds.count();
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("Reads a file with several threads and says how long that took.");
  app.add_option("FILE", settings.file)->required();
  app.add_option("--threads", settings.threads)->check(CLI::PositiveNumber);
  app.add_option("--piece-bytes", settings.piece_bytes)->check(CLI::PositiveNumber);
  app.add_flag("--cold", settings.cold, "with none of it in the page cache");
  CLI11_PARSE(app, argc, argv);
  try {
    const File file(settings.file);
    if (settings.cold) file.drop_from_cache();
    const double seconds = read_all(file, settings);
    fmt::print("{{\"bytes\": {}, \"seconds\": {}, \"GB/s\": {}}}\n", file.bytes(), seconds,
               static_cast<double>(file.bytes()) / 1e9 / seconds);
  } catch (const std::exception& error) {
    fmt::print(stderr, "pread_bench: {}\n", error.what());
    return 4;
  }
}
