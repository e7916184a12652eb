#include "place/formats.hpp"

#include <array>

namespace tessera::place {

std::span<const Format> formats() {
  static constexpr std::array kFormats = std::to_array<Format>({
      {"Imagina (.im)", true, is_imagina_binary, read_imagina_binary},
      {"Imagina (.imt)", true, is_imagina_text, read_imagina_text},
      {"Fraktaler-3 (.f3.toml)", true, is_fraktaler, read_fraktaler},
      {"FractalShark", true, is_fractalshark, read_fractalshark},
      {"FractalShark (locations.txt)", true, is_fractalshark_list, read_fractalshark_list},
      {"XaoS (.xpf)", true, is_xaos, read_xaos},
      {"Ultra Fractal (.upr)", true, is_ultra_fractal, read_ultra_fractal},
      {"Fractint (.par)", true, is_fractint, read_fractint},
      {"Kalles Fraktaler (.kfr)", true, is_kalles_fraktaler, read_kalles_fraktaler},
      {"a link", false, is_link, read_link},
      {"a post", false, is_post, read_post},
  });
  return kFormats;
}

}  // namespace tessera::place
