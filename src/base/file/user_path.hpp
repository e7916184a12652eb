// Paths as users write them.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace tessera::base {

/// "~", "~/x" and "~user/x" in a home folder, also where a shell left them as they are: behind an
/// equals sign, in quotes, in job files. Any other text, a user who does not exist, and `text` if a
/// file of that name begins with "~name", as it is. "./~" is a folder of that name.
std::string home_path(std::string_view text);

/// The same for an option or argument `what`. Throws a usage error that begins with `what` for a
/// user who does not exist, and for a URL.
std::string user_path(std::string_view text, std::string_view what);

/// True for "https://host/x.h5" and the like, unless there is a folder "https:".
bool is_url(std::string_view text);

/// The usage error for a URL: what is wrong with it, and what would be right.
Error url_error(std::string_view text);

/// Whether a file of this name could be read: it is there and no folder. True for a broken link,
/// whose error is another one than that of a missing file.
bool is_named(const std::string& path) noexcept;

/// The error for a file that is not there. It names what a broken link leads to.
Error no_such_file(const std::string& path);

}  // namespace tessera::base
