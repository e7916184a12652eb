// The HDF5 C library, owned and checked. Private to this room, as hdf5.h is.
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

#include "base/error.hpp"

namespace tessera::store {

/// Before every call: HDF5 prints no errors of its own, and at the exit of the process it does not
/// close what could not be closed before (it crashes on a dataset whose disk was full).
void tame_hdf5() noexcept;

/// The one way in which Tessera calls HDF5: h5("H5Dopen2", H5Dopen2, file, name, H5P_DEFAULT)
/// returns what the function returns, or throws base::Error (failed) with the name of the call, the
/// file and the innermost message of HDF5's error stack. HDF5 itself prints nothing.
class CheckedCall {
 public:
  /// Tames HDF5 here already: its constants, such as H5P_FILE_ACCESS, start it when they are named.
  explicit CheckedCall(std::string file) : file_(std::move(file)) { tame_hdf5(); }

  const std::string& file() const { return file_; }

  template <class Function, class... Args>
  auto operator()(const char* name, Function function, Args... args) const {
    tame_hdf5();
    const auto result = function(args...);
    if (result < 0) fail(name);
    return result;
  }

  /// The same for a call whose failure with exactly `message` is an answer: false then.
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

/// An owned hid_t of any kind; closing what is left in the destructor is silent.
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
  /// Gives up ownership, for a close whose failure must be seen.
  hid_t release() { return std::exchange(id_, H5I_INVALID_HID); }
  void reset() noexcept;

 private:
  hid_t id_ = H5I_INVALID_HID;
};

}  // namespace tessera::store
