// A job of `tessera color`, which makes a picture of a rendered file.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/geometry.hpp"
#include "job/image/options.hpp"
#include "job/run_spec.hpp"

namespace tessera::job {

struct ColorJob : RunSpec, Coloring {
  std::string input;                      ///< HDF5 file
  std::string output;                     ///< PNG file
  std::string field;                      ///< "iterations", "smooth" or "" = smooth if present
  std::optional<base::PixelRect> region;  ///< part of the image; none = all
  int scale = 1;                          ///< scale x scale image pixels are averaged to one
  bool overwrite = false;                 ///< `output` may be replaced
  bool keeps_input = true;                ///< else the picture does not name `input`
};

std::span<const Option<ColorJob>> color_options();

/// The job as text, for the report.
std::vector<std::pair<std::string, std::string>> describe(const ColorJob& job);

}  // namespace tessera::job
