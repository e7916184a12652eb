// The one exception type of the library.
#pragma once

#include <stdexcept>
#include <string>

#include "tessera/export.hpp"

namespace tessera::TESSERA_INLINE v0 {

/// The exit codes of the program.
enum class Code {
  usage = 2,    ///< wrong usage or bad input
  missing = 3,  ///< something requested is missing: a device, a file, a library
  failed = 4,   ///< the run failed
  stopped = 75  ///< stopped early
};

/// A line that says where and what.
class TESSERA_EXPORT Error : public std::runtime_error {
 public:
  Error(Code code, const std::string& what);
  Error(const Error&);
  Error& operator=(const Error&);
  ~Error() override;
  Code code() const noexcept { return code_; }

 private:
  Code code_;
};

}  // namespace tessera::TESSERA_INLINEv0
