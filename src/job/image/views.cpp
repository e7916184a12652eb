#include "job/image/views.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/decimal.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "job/image/deep_places.hpp"
#include "job/values.hpp"

namespace tessera::job {

namespace {

// From wide to deep. f64 resolves every width with 3840 pixels a row, but the last ones. The
// centres of minibrots are their nuclei, where the orbit of 0 returns to 0.
constexpr std::array kViews = {
    View{"whole", "the whole set", "-0.75,0", "3", 1000, "mandelbrot", 2.4},
    View{"antenna", "the largest minibrot, of period 3, on the real axis", "-1.7549,0", "0.12",
         2000},
    View{"valley", "Seahorse Valley, between the cardioid and the disc", "-0.7575,0.105", "0.036",
         3000},
    View{"dendrite", "a minibrot of period 4 among lightning-like branches", "-0.15652,1.03225",
         "0.04", 2000},
    View{"elephant", "Elephant Valley: a procession along the cardioid", "0.2925755,-0.0149977",
         "0.03", 2000},
    View{"snowflake", "a minibrot among frosty branches", "-0.5926,0.6212", "0.02", 3000},
    View{"seahorses", "a seahorse's eye and its curled tail", "-0.7445,0.1215", "0.012", 4000},
    View{"whirlpools", "great spirals in the valley of the disc of period 4", "0.2815,0.484",
         "0.007", 3000},
    View{"snails", "a row of spirals in the valley of the disc of period 3", "-0.0897,0.655",
         "0.0045", 4000},
    View{"trunk", "elephants wound round a small minibrot", "0.2925,-0.0149", "0.004", 4000},
    View{"scepters", "spiral-headed scepters between the discs of period 2 and 4", "-1.2542,0.0248",
         "0.004", 4000},
    View{"starfish", "rays of feathers that meet in one point", "-0.374004139,0.659792175", "0.004",
         3000},
    View{"seahorse", "a seahorse's tail, curled up", "-0.74352,0.13135", "0.0025", 5000},
    View{"spiral", "one great spiral of beads", "-0.76124,-0.0848", "0.0016", 3000},
    View{"lightning", "branches of lightning that cross at a minibrot",
         "-0.17333995491999063,-1.0677044594634246", "0.0012", 3000},
    View{"star", "a minibrot between two stars of feathers",
         "-0.3730202448741837,0.6623590649386228", "0.001", 5000},
    View{"elephant-minibrot", "a minibrot in a ring of elephants",
         "0.2925037532341934,-0.014925068998343798", "0.0008", 5000},
    View{"sun", "a sun of spirals with flames around it", "-0.776592847,-0.136640848", "0.0005",
         5000},
    View{"needle-tip", "a minibrot with its needles, near the tip at -2", "-1.9854242530542052,0",
         "0.0003", 3000},
    View{"double-hook", "two seahorse tails on a cross around a minibrot",
         "-0.7436423016578859,0.13182651981259472", "0.0001", 10000},
    View{"galaxies", "two spiral galaxies linked through a minibrot",
         "-0.7615605947893899,-0.08475574234845283", "0.00003", 5000},
    View{"seahorse-minibrot", "a minibrot ringed by seahorse tails",
         "-0.7436423016578859,0.13182651981259472", "0.000012", 10000},
    View{"porcelain", "a minibrot in fine rings of spirals",
         "-0.7615605947893899,-0.08475574234845283", "0.0000016", 5000},
    View{"flames", "a minibrot in a wreath of flames", "-0.7763549636049001,-0.1364105537002457",
         "3e-9", 10000},
    View{"deep-julia", "a Julia set of spirals, embedded deep below the seahorses",
         "-0.7436438870371587,0.1318259042053120", "3.2e-11", 20000},
    View{"deep-spiral", "one spiral of it: the depth that 64-bit floats still carry",
         "-0.7436438870455587,0.1318259042028370", "1.2e-11", 20000},
    // Beyond f64, by perturbation.
    View{"islands", "two twin islands in a wreath of spirals", kE14Center, "4e-14", 5000},
    View{"sea-stars", "a wreath of sea stars round a glowing core, at 10^-25", kSeaStarsCenter,
         "6.225e-25", 2700},
    View{"comet", "a comet of coral with its tail, at 10^-27", kCometCenter, "6.688e-27", 4200},
    View{"coral-galaxy", "a galaxy of coral with two bright clusters, at 10^-31",
         kCoralGalaxyCenter, "1.407e-31", 5800},
    View{"anemone", "an anemone between two glowing buds, at 10^-34", kAnemoneCenter, "3.675e-34",
         2600},
    View{"feathered-eye", "a feathered eye among lightning, at 10^-36", kFeatheredEyeCenter,
         "1.037e-36", 2900},
    View{"two-suns", "two suns in a net of sea stars, at 10^-39", kTwoSunsCenter, "7.039e-39",
         2800},
    View{"deep-minibrot", "a minibrot in its rings, at a width of 10^-45", kE45Center,
         "3.3109664e-45", 500000},
    View{"e50", "a four-pointed star of shells in a ring of seahorses, at 10^-50", kE50Center,
         "4e-50", 263010},
    View{"shell", "a four-cornered shell in fine rays, at 10^-55", kShellCenter, "1.508e-55", 3600},
    View{"towers", "towers of coral round a small cross, at 10^-62", kTowersCenter, "6.621e-62",
         8300},
    View{"jellyfish", "a jellyfish with a cross at its heart, at 10^-62", kJellyfishCenter,
         "1.073e-62", 12000},
    View{"sparks", "a globe of sparks in a drifting haze, at 10^-73", kSparksCenter, "8.438e-73",
         18000},
    View{"burning-bush", "a burning bush in a ring of branches, at 10^-82", kBurningBushCenter,
         "1.229e-82", 9100},
    View{"mandala", "an eight-pointed mandala of pearls, at 10^-90", kMandalaCenter, "1.737e-90",
         25000},
    View{"urchin", "a sea urchin with a bright star inside, at 10^-98", kUrchinCenter, "2.981e-98",
         8100},
    View{"halo", "a minibrot in a smooth halo, at 10^-111", kHaloCenter, "6.527e-112", 300000},
    View{"e113", "feathered leaves on a net of spirals, at 10^-113", kE113Center, "8e-114", 35494},
    View{"egg", "an egg of seven lights among small stars, at 10^-150", kEggCenter, "2.765e-150",
         21000},
    View{"roots", "a sunflower with roots for petals, at 10^-204", kRootsCenter, "6.079e-204",
         12000},
    View{"e227", "an S-shaped Julia set strung with pearls, at 10^-227", kE227Center, "8e-228",
         1200000},
    View{"e533", "a chain of S-shaped curls, at 10^-533", kE533Center, "1e-533", 120000},
    View{"e1086", "suns and flames round a Julia set, at 10^-1086", kE1086Center, "4e-1086",
         600100},
    View{"e8000", "an eight-rayed star of needles, beyond 10^-8000", kE8000Center, "6e-8001",
         807345},
    // Other formulas. The imaginary axis points up here, too, so that the Burning Ship floats keel
    // up.
    View{"dragon", "a Julia set of two-armed spirals", "0,0", "3.4", 1000, "julia:-0.8,0.156"},
    View{"rosettes", "a Julia set of windows like those of a cathedral", "0,0", "3.4", 1000,
         "julia:-0.4,0.6"},
    View{"burning-ship", "the whole Burning Ship", "-0.4,-0.65", "4.6", 1000, "burning-ship"},
    View{"ship", "the small ship on its antenna that gave it its name, keel up", "-1.755,-0.026",
         "0.13", 2000, "burning-ship"},
    View{"tricorn", "the whole Tricorn", "-0.25,0", "6.6", 1000, "tricorn"},
    View{"small-tricorn", "a small tricorn on its antenna", "-1.755,0", "0.08", 2000, "tricorn"},
    View{"trefoil", "the whole set of z^4 + c", "-0.1,0", "4.2", 1000, "multibrot:4"},
    View{"trefoil-chain", "small trefoils on a chain of crosses", "-1.195,0", "0.16", 2000,
         "multibrot:4"},
    View{"coral", "branches that grow from the set of z^3 + c", "0.058,1.152", "0.1", 2000,
         "multibrot:3"},
    // Beyond f64.
    View{"julia-rings", "scalloped rings on the shore of a Julia set, at 10^-50", kE50Center,
         "4e-50", 300000, kE50Julia},
    View{"julia-leaves", "feathered leaves in the lace of a Julia set, at 10^-100", kE113Center,
         "1e-100", 40000, kE113Julia},
    View{"lattice", "suns behind a lattice of embers in the Burning Ship, at 10^-22",
         kDeepShipCenter, "2.1e-22", 7100, "burning-ship"},
    View{"deep-ship", "a small ship on its side in a storm, at 10^-36", kDeepShipCenter, "4.3e-36",
         7100, "burning-ship"},
    View{"ball-lightning", "a ball of lightning in the Tricorn, at 10^-59", kDeepTricornCenter,
         "1.6e-59", 14200, "tricorn"},
    View{"deep-tricorn", "a small tricorn, at 10^-98", kDeepTricornCenter, "6.3e-98", 14200,
         "tricorn"},
    View{"curls", "a round sun with curls in the set of z^3 + c, at 10^-31", kCurlsCenter,
         "2.6e-31", 14500, "multibrot:3"},
    View{"lanterns", "lanterns in a dark square of the set of z^4 + c, at 10^-22", kLanternsCenter,
         "1.6e-22", 49300, "multibrot:4"},
};

}  // namespace

std::string fitted_width(const View& view, base::ImageSize size_px) {
  const auto columns = static_cast<double>(size_px.width);
  const auto rows = static_cast<double>(size_px.height);
  // Exact: an image of 16:9 has the width of the view, digit for digit.
  if (view.height == 0 && 9 * columns <= 16 * rows) return std::string(view.width);
  // A width below f64's range is computed in units of its power of ten.
  const bool tiny = base::nearest_real(view.width, view.name) < kMinPositive;
  const std::string_view unit = tiny ? view.width.substr(view.width.find('e')) : "";
  const double width =
      base::parse_real(view.width.substr(0, view.width.size() - unit.size()), view.name);
  const double height = view.height > 0 ? view.height : width * 9 / 16;
  const double fitted = height * columns / rows;
  if (fitted <= width) return std::string(view.width);
  // Four digits, not less than the exact number.
  return tiny ? fmt::format("{:.3f}{}", fitted * 1.0005, unit)
              : fmt::format("{:.4g}", fitted * 1.0005);
}

std::span<const View> views() {
  return kViews;
}

namespace {

/// The name of which `name` is a misspelling, or those that contain it.
std::vector<std::string> similar_names(std::string_view name) {
  std::vector<std::string> names;
  names.reserve(kViews.size());
  for (const View& view : kViews) names.emplace_back(view.name);
  if (const std::string near = base::nearest(name, names); !near.empty()) return {near};
  std::erase_if(names, [&](const std::string& known) {
    return name.empty() || known.find(name) == std::string::npos;
  });
  return names;
}

}  // namespace

const View& find_view(std::string_view name, std::string_view what) {
  const auto found = std::ranges::find(kViews, name, &View::name);
  if (found != kViews.end()) return *found;
  const std::vector<std::string> similar = similar_names(name);
  throw base::usage_error(
      "{}: there is no view '{}'; {}`tessera views` lists all", what, name,
      similar.empty() ? "" : fmt::format("did you mean '{}'? ", base::join(similar, "', '")));
}

}  // namespace tessera::job
