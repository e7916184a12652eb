// Owned HDF5 handles and checked HDF5 calls. Private to this folder, as hdf5.h is.
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

#include "base/error.hpp"

namespace tessera::store {

/// Called before every HDF5 call. Turns off HDF5's own error output and its exit handler, which
/// crashes on a dataset that could not be closed because the disk was full.
void tame_hdf5() noexcept;

/// The only way in which Tessera calls HDF5: h5("H5Dopen2", H5Dopen2, file, name, H5P_DEFAULT)
/// returns the function's result, or throws base::Error (failed) with the name of the call, the
/// file and the innermost message of HDF5's error stack. HDF5 itself prints nothing.
class CheckedCall {
 public:
  /// Calls tame_hdf5() already here: naming one of HDF5's constants, such as H5P_FILE_ACCESS,
  /// starts the library.
  explicit CheckedCall(std::string file) : file_(std::move(file)) { tame_hdf5(); }

  const std::string& file() const { return file_; }

  template <class Function, class... Args>
  auto operator()(const char* name, Function function, Args... args) const {
    tame_hdf5();
    const auto result = function(args...);
    if (result < 0) fail(name);
    return result;
  }

  /// The same for a call that may fail with exactly `message`: returns false then.
  template <class Function, class... Args>
  bool unless(const char* message, const char* name, Function function, Args... args) const {
    tame_hdf5();
    if (function(args...) >= 0) return true;
    if (!failed_with(message)) fail(name);
    return false;
  }

 private:
  static bool failed_with(const char* message);
  [[noreturn]] void fail(const char* name) const;

  std::string file_;
};

/// An owned hid_t of any kind. The destructor ignores errors of closing it.
class Handle {
 public:
  Handle() = default;
  explicit Handle(hid_t id) : id_(id) {}
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }

  hid_t id() const { return id_; }
  /// Gives up ownership, for a close whose failure must be reported.
  hid_t release() { return std::exchange(id_, H5I_INVALID_HID); }
  void reset() noexcept;

 private:
  hid_t id_ = H5I_INVALID_HID;
};

}  // namespace tessera::store
