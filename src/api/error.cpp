#include "tessera/error.hpp"

namespace tessera::v0 {

Error::Error(Code code, const std::string& what) : std::runtime_error(what), code_(code) {}
Error::Error(const Error&) = default;
Error& Error::operator=(const Error&) = default;
Error::~Error() = default;  // here, so that all users share its type

}  // namespace tessera::v0
