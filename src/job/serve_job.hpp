// A job of `tessera serve`, which shows images in a browser.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "job/image/options.hpp"
#include "job/run_spec.hpp"

namespace tessera::job {

/// The port of the last time.
inline constexpr int kSamePort = -1;

struct ServeJob : RunSpec {
  std::vector<std::string> inputs;  ///< files and folders
  std::string address = "127.0.0.1";
  int port = kSamePort;  ///< 0 = a free one
  std::vector<std::string> palette_files;
  std::string cache;  ///< folder for pyramids that cannot lie beside their images; "" = none

  /// "127.0.0.1", "[::1]:8080"
  std::string listen() const;
};

std::span<const Option<ServeJob>> serve_options();

/// "ADDR:PORT", "ADDR", ":PORT" or "PORT"; an address of IPv6 with a port is in brackets.
void set_listen(ServeJob& job, std::string_view text, std::string_view what);

}  // namespace tessera::job
