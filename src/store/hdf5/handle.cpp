#include "store/hdf5/handle.hpp"

#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "base/file/posix_file.hpp"
#include "base/read_number.hpp"
#include "store/hdf5/environment.hpp"

namespace tessera::store {

namespace {

herr_t take_description(unsigned, const H5E_error2_t* entry, void* text) noexcept {
  if (entry->desc != nullptr) *static_cast<std::string*>(text) = entry->desc;
  return 1;  // stop: upward, the first entry is the innermost
}

std::string innermost_message() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_description, &text);
  // HDF5 puts the output of ctime(), line end included, into some of its messages.
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text.empty() ? "HDF5 gives no reason" : text;
}

/// The system's error number that HDF5 quotes in its message, or 0.
int quoted_errno(std::string_view message) {
  constexpr std::string_view kKey = "errno = ";
  const auto at = message.find(kKey);
  if (at == std::string_view::npos) return 0;
  message.remove_prefix(at + kKey.size());
  return base::read_integer<int>(message.substr(0, message.find_first_not_of("0123456789")))
      .value_or(0);
}

}  // namespace

std::recursive_mutex& hdf5_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

void set_hdf5_environment() noexcept {
  ::setenv("HDF5_USE_FILE_LOCKING", "FALSE", 0);
}

void tame_hdf5() noexcept {
  const std::scoped_lock lock(hdf5_mutex());
  static const herr_t no_exit_handler = H5dont_atexit();
  static_cast<void>(no_exit_handler);
  // A thread-safe HDF5 has one error stack, and one such setting, per thread.
  thread_local const herr_t quiet = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  static_cast<void>(quiet);
}

bool CheckedCall::failed_with(const char* message) {
  return innermost_message() == message;
}

void CheckedCall::fail(const char* name) const {
  const std::string message = innermost_message();
  const int error_number = quoted_errno(message);
  if (error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG) {
    throw base::file_error(file_, fmt::format("write ({})", name), error_number);
  }
  throw base::run_error("{}: {} failed: {}", file_, name, message);
}

void Handle::reset() noexcept {
  if (id_ < 0) return;
  const std::scoped_lock lock(hdf5_mutex());
  tame_hdf5();
  H5Idec_ref(release());
}

}  // namespace tessera::store
