#include "base/file/file_view.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <string_view>

#include "base/error.hpp"
#include "base/file/input_file.hpp"

#ifndef MADV_POPULATE_READ  // of Linux 5.14; older ones refuse it, and older headers lack it
#define MADV_POPULATE_READ 22
#endif

namespace tessera::base {

namespace {

/// Path of the file that this thread viewed last, for the message below: a signal handler can read
/// no more than a pointer.
thread_local const char* viewed_path = "a file";

void say(std::string_view text) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

void end_for_lost_bytes(int) {
  say("tessera: ");
  say({viewed_path, std::strlen(viewed_path)});
  say(": was cut off while it was read, or cannot be read any more\n");
  ::_exit(static_cast<int>(ExitCode::failed));
}

/// Whether a signal handler answers for bytes that are lost while they are viewed.
std::atomic<bool> handled = false;

/// The mapped pages; empty on failure.
std::span<std::byte> map_pages(int descriptor, std::uint64_t offset, std::size_t bytes) {
  void* const pages =
      ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor, static_cast<off_t>(offset));
  if (pages == MAP_FAILED) return {};
  // Read errors fail this call instead of raising a signal later.
  if (::madvise(pages, bytes, MADV_POPULATE_READ) == 0) {
    return {static_cast<std::byte*>(pages), bytes};
  }
  ::munmap(pages, bytes);
  return {};
}

}  // namespace

void end_process_at_lost_bytes() {
  struct sigaction action {};
  action.sa_handler = end_for_lost_bytes;
  handled = ::sigaction(SIGBUS, &action, nullptr) == 0;
}

std::optional<FileView> FileView::open(const InputFile& file, std::uint64_t offset,
                                       std::size_t bytes) {
  if (!handled) return std::nullopt;
  static const auto page_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t before = offset % page_bytes;
  const auto pages = map_pages(file.descriptor(), offset - before, before + bytes);
  if (pages.empty()) return std::nullopt;
  viewed_path = file.path().c_str();
  return FileView(pages, pages.subspan(before));
}

FileView::~FileView() {
  if (!pages_.empty()) ::munmap(pages_.data(), pages_.size());
}

}  // namespace tessera::base
