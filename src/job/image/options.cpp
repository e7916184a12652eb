#include "job/image/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/decimal.hpp"
#include "base/error.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "job/image/coloring.hpp"
#include "job/image/fingerprint.hpp"
#include "job/image/turn_options.hpp"
#include "job/image/views.hpp"
#include "job/run_options.hpp"
#include "job/values.hpp"

namespace tessera::job {

namespace {

using Text = std::string_view;
using Job = RenderJob;
using RenderOption = Option<RenderJob>;

// crossed by: takes_the_limits_of_every_range
constexpr std::int64_t kMaxSupersample = 16;

constexpr std::int64_t kMaxFrames = 10'000;

constexpr std::string_view kFirstFormula = "mandelbrot";

void set_center(Job& job, Text text, Text what) {
  const Center center = parse_center(text, what);
  job.image.center_re = center.re;
  job.image.center_im = center.im;
  job.center_text = base::trim(text);
}

void set_width(Job& job, Text text, Text what) {
  job.image.width = parse_width(text, what);
  job.width_text = base::trim(text);
}

void set_zoom(Job& job, Text text, Text what) {
  const std::string width = width_of_zoom(text, what);
  job.image.width = parse_width(width, what);
  job.width_text = width;
}

constexpr std::array<Text, 4> kArithmetics = {"auto", "plain", "perturbation", "exact"};
/// Their names in files; auto is none of them.
constexpr std::array<Text, 4> kStoredArithmetics = {"", kArithmetic, kDeepArithmetic,
                                                    kExactArithmetic};

/// Files have the exact names of the arithmetics.
void set_arithmetic(Job& job, Text text, Text what) {
  const Text name = base::trim(text);
  const auto* const stored = std::ranges::find(kStoredArithmetics, name);
  const std::size_t found = !name.empty() && stored != kStoredArithmetics.end()
                                ? static_cast<std::size_t>(stored - kStoredArithmetics.begin())
                                : find_name(kArithmetics, name, what, "arithmetic");
  job.arithmetic_auto = found == 0;
  job.image.arithmetic = static_cast<Arithmetic>(found == 0 ? 0 : found - 1);
}

std::string get_arithmetic(const Job& job) {
  if (job.arithmetic_auto) return std::string(kArithmetics[0]);
  return std::string(kArithmetics[static_cast<std::size_t>(job.image.arithmetic) + 1]);
}

void set_formula(Job& job, Text text, Text what) {
  job.image.formula = parse_formula(text, what);
  job.formula_text = base::trim(text);
}

void set_view(Job& job, Text text, Text what) {
  const View& view = find_view(base::trim(text), what);
  job.view = view.name;
  set_formula(job, view.formula, what);
  set_center(job, view.center, what);
  set_width(job, view.width, what);
  job.image.iterations = view.iterations;
  job.iterations_from = IterationsFrom::given;
}

void set_iterations(Job& job, Text text, Text what) {
  job.iterations_from = base::trim(text) == "auto" ? IterationsFrom::open : IterationsFrom::given;
  if (job.iterations_from == IterationsFrom::open) return;
  job.image.iterations =
      static_cast<std::uint64_t>(base::parse_count(text, what, 1, std::int64_t{kMaxIterations}));
}

std::string get_iterations(const Job& job) {
  if (job.iterations_from == IterationsFrom::open) return "auto";
  return std::to_string(job.image.iterations);
}

std::string center_identity(const Job& job) {
  const std::string point = normalized_point(job.center_text);
  const auto comma = point.find(',');
  return fmt::format("center={},{}", number_identity(job.image.center_re, point.substr(0, comma)),
                     number_identity(job.image.center_im, point.substr(comma + 1)));
}

std::string width_identity(const Job& job) {
  const std::string width = base::normalized_decimal(job.width_text);
  return fmt::format("width={}", number_identity(job.image.width, width));
}

/// Nothing for the formula that was the only one once.
std::string formula_identity(const Job& job) {
  const std::string formula = normalized_formula(job.formula_text);
  return formula == kFirstFormula ? "" : "formula=" + formula;
}

/// `option`, whose value decides what is stored.
RenderOption deciding(RenderOption option, std::function<std::string(const Job&)> identity) {
  option.identity = std::move(identity);
  return option;
}

/// The same where the value as it is printed is the identity.
RenderOption deciding(const RenderOption& option) {
  return deciding(option, [name = std::string(option.name), get = option.get](const Job& job) {
    return name + "=" + get(job);
  });
}

RenderOption formula_option() {
  static const std::string help = "formula to iterate: " + formula_choices();
  RenderOption option = deciding({"formula", "NAME[:...]", help, Scope::image, Kind::text,
                                  set_formula, [](const Job& job) { return job.formula_text; }},
                                 formula_identity);
  option.value_of_old_files = kFirstFormula;
  return option;
}

void set_tile(Job& job, Text text, Text what) {
  job.tile_auto = base::trim(text) == "auto";
  job.tile_px = job.tile_auto ? RenderJob().tile_px
                              : static_cast<int>(base::parse_count(text, what, 1, kLargestTilePx));
}

int parse_writers(Text text, Text what) {
  if (base::trim(text) == "auto") return kAutoWriters;
  return static_cast<int>(base::parse_count(text, what, 1, kMaxWriters));
}

std::string format_writers(int writers) {
  return writers == kAutoWriters ? "auto" : std::to_string(writers);
}

RenderOption tile_option() {
  return deciding(
      {"tile", "N",
       "side of a tile, and of a stored chunk, in pixels; auto = that of a file to "
       "resume, 512 for cores, less if they take long for one, more for a GPU",
       Scope::output, Kind::integer, set_tile,
       [](const Job& job) { return job.tile_auto ? "auto" : std::to_string(job.tile_px); }},
      [](const Job& job) { return fmt::format("tile={}", job.tile_px); });
}

/// The fingerprint begins with the name of the arithmetic.
RenderOption arithmetic_option() {
  RenderOption option =
      deciding({"arithmetic", "NAME",
                "auto, plain (f64 orbits), exact (true counts) or perturbation (true counts, any "
                "depth); auto takes perturbation for pixels less than 2^-32 apart, and exact does",
                Scope::image, Kind::text, set_arithmetic, get_arithmetic},
               [](const Job&) { return std::string(); });
  option.value_of_old_files = kArithmetics[1];
  return option;
}

/// Files with plain arithmetic do not have it.
RenderOption exact_option() {
  RenderOption option =
      deciding({"exact", "on|off",
                "recompute pixels whose count is uncertain in f64 (perturbation only) [on]",
                Scope::image, Kind::text,
                [](Job& job, Text text, Text what) { job.image.exact = parse_switch(text, what); },
                [](const Job& job) {
                  const bool stated = job.image.deep() || !job.image.exact;
                  return std::string(!stated ? "" : job.image.exact ? "on" : "off");
                }},
               [](const Job& job) { return job.image.exact ? "" : "exact=off"; });
  option.value_of_old_files = "on";
  return option;
}

constexpr std::array<std::string_view, 2> kInteriors = {"proven", "derivative"};

RenderOption interior_option() {
  RenderOption option = deciding(
      {"interior", "NAME",
       "early test for interior points: proven, or derivative (faster, not proven) [proven]",
       Scope::image, Kind::text,
       [](Job& job, Text text, Text what) {
         job.image.interior =
             static_cast<Interior>(find_name(kInteriors, base::trim(text), what, "test"));
       },
       [](const Job& job) {
         const auto name = kInteriors[static_cast<std::size_t>(job.image.interior)];
         return std::string(job.image.interior == Interior::proven ? "" : name);
       }},
      [](const Job& job) {
        return job.image.interior == Interior::proven ? "" : "interior=derivative";
      });
  option.value_of_old_files = kInteriors[0];
  return option;
}

std::vector<RenderOption> image_options() {
  return {
      {"view", "NAME",
       "named view: sets formula, center, width and iterations; 'tessera views' lists them",
       Scope::image, Kind::text, set_view, [](const Job& job) { return job.view; }},
      name({"from", "FILE|LINK",
            "render the place of this image (.h5), of this picture (.png) in its colours, or of a "
            "file of another program (.kfr, .f3.toml, .par, ...: tessera place)",
            Scope::image},
           &Job::from),
      checked({"region", "X,Y,W,H", "part of --from to render, in its pixels", Scope::image},
              &Job::region, parse_region),
      formula_option(),
      deciding({"center", "RE,IM", "centre of the image in the complex plane", Scope::image,
                Kind::list, set_center, [](const Job& job) { return job.center_text; }},
               center_identity),
      deciding({"width", "W", "width of the image in the complex plane", Scope::image, Kind::number,
                set_width, [](const Job& job) { return job.width_text; }},
               width_identity),
      {"zoom", "Z", "instead of width: 4 / Z, such as 1e50", Scope::image, Kind::number, set_zoom,
       [](const Job&) { return std::string(); }},
      {"height", "H", "instead of width: the height of the image in the complex plane",
       Scope::image, Kind::number,
       [](Job& job, Text text, Text what) {
         parse_width(text, what);
         job.height_text = base::trim(text);
       },
       [](const Job&) { return std::string(); }},
      deciding({"size", "WxH",
                "width and height in pixels; N is a square, 4k is 3840x2160, 8k 7680x4320, 16k "
                "15360x8640",
                Scope::image, Kind::text,
                [](Job& job, Text text, Text what) { job.image.size_px = parse_size(text, what); },
                [](const Job& job) { return format_size(job.picture_px()); }},
               [](const Job& job) { return "size=" + format_size(job.image.size_px); }),
      deciding({"iterations", "N",
                "steps after which a point counts as inside the set, such as 10000 or 10k; auto = "
                "1000, and 250 more for each halving of a width below 1",
                Scope::image, Kind::integer, set_iterations, get_iterations},
               [](const Job& job) { return fmt::format("iterations={}", job.image.iterations); }),
      deciding(
          {"bailout", "R", "escape radius: a point is outside the set once |z| > R", Scope::image,
           Kind::number,
           [](Job& job, Text text, Text what) { job.image.bailout = parse_positive(text, what); },
           [](const Job& job) { return fmt::format("{}", job.image.bailout); }},
          [](const Job& job) {
            const std::string shortest = fmt::format("{}", job.image.bailout);
            return "bailout=" +
                   number_identity(job.image.bailout, base::normalized_decimal(shortest));
          }),
      arithmetic_option(),
      exact_option(),
      interior_option(),
  };
}

std::vector<RenderOption> output_options() {
  return {
      deciding(parsed(
          {"fields", "LIST",
           "values to store for each pixel: iterations, smooth (for --png), distance (to the "
           "set), fraction (smooth - iterations), gradient (which way, and how far), phase (final "
           "angle in turns)",
           Scope::output, Kind::list},
          &Job::fields, parse_fields, format_fields)),
      tile_option(),
      deciding(whole_number({"compress", "0..3",
                             "compression of the file: 0 none, 1 fast, 2 smaller, 3 smallest",
                             Scope::output},
                            &Job::compress, 0, 3),
               [](const Job& job) {
                 return fmt::format("filters={}", job.compress > 0 ? "shuffle,deflate" : "none");
               }),
      {"output", "FILE.h5", "HDF5 file to write; with '', or --png alone, none", Scope::output,
       Kind::text,
       [](Job& job, Text text, Text what) {
         // A path keeps its blanks, but must not consist of blanks.
         if (!text.empty()) parse_name(text, what);
         check_suffix(text, what, ".h5");
         job.output = text;
       },
       [](const Job& job) { return job.picture_only ? "" : job.output; }},
      optional_number({"frames", "N",
                       "render a zoom as N images for 'tessera film', in files FILE-0000.h5 and so "
                       "on; --width is that of the last image",
                       Scope::output},
                      &Job::frames, 2, kMaxFrames),
      {"zoom-per-frame", "Z", "zoom factor between consecutive images of --frames [2]",
       Scope::output, Kind::number,
       [](Job& job, Text text, Text what) { job.zoom_per_frame = parse_frame_zoom(text, what); },
       [](const Job& job) { return job.frames > 0 ? job.zoom_per_frame : ""; }},
      {"turn-per-frame", "DEG",
       "turn each image of --frames by DEG degrees more than the one before it, anticlockwise; the "
       "last one is turned as --rotate says [0]",
       Scope::output, Kind::number,
       [](Job& job, Text text, Text what) {
         const bool turns = base::parse_real(text, what) != 0;
         job.turn_per_frame = turns ? base::trim(text) : "0";
       },
       [](const Job& job) { return job.turn_per_frame == "0" ? "" : job.turn_per_frame; }},
      {"png", "FILE.png", "picture to make ('' = none)", Scope::output, Kind::text,
       [](Job& job, Text text, Text what) {
         check_suffix(text, what, ".png");
         job.png = text;
       },
       [](const Job& job) { return job.png; }},
      {"supersample", "N",
       "anti-aliasing: average N x N computed pixels into one of the picture; 2 for --png alone",
       Scope::output, Kind::integer,
       [](Job& job, Text text, Text what) {
         job.supersample = static_cast<int>(base::parse_integer(text, what, 1, kMaxSupersample));
       },
       [](const Job& job) { return std::to_string(job.supersample); }},
      toggle({"overwrite", "", "replace existing output files; never resume", Scope::output},
             &Job::overwrite),
      toggle({"resume", "", "fail unless there is an earlier run to resume", Scope::output},
             &Job::resume),
      run_option<Job>(RunOption::checkpoint),
  };
}

std::vector<RenderOption> run_options() {
  return {
      run_option<Job>(RunOption::device),
      run_option<Job>(RunOption::threads),
      run_option<Job>(RunOption::isolate),
      run_option<Job>(RunOption::device_timeout),
      run_option<Job>(RunOption::memory),
      run_option<Job>(RunOption::device_memory),
      run_option<Job>(RunOption::max_seconds),
      parsed({"share", "K/N",
              "render only the K-th of N parts of the tiles, for 'tessera merge'; with --frames, "
              "every N-th image"},
             &Job::share, parse_share, format_share),
      parsed({"writers", "N",
              "ranks that write the image, each some of its rows of tiles, in the folder "
              "OUTPUT.parts; auto = one, or more nodes where one could not keep up"},
             &Job::writers, parse_writers, format_writers),
      run_option<Job>(RunOption::pool),
      run_option<Job>(RunOption::pool_shares),
      run_option<Job>(RunOption::pool_lease),
      run_option<Job>(RunOption::quiet),
      run_option<Job>(RunOption::json),
      run_option<Job>(RunOption::report),
      run_option<Job>(RunOption::trace),
      run_option<Job>(RunOption::report_html),
      run_option<Job>(RunOption::serve),
      run_option<Job>(RunOption::serve_listen),
      run_option<Job>(RunOption::no_token),
  };
}

}  // namespace

std::span<const Option<RenderJob>> render_options() {
  static const std::vector<RenderOption> options = [] {
    std::vector<RenderOption> all = image_options();
    for (RenderOption& option : turn_options()) all.push_back(std::move(option));
    for (RenderOption& option : output_options()) all.push_back(std::move(option));
    for (RenderOption& option : coloring_options<RenderJob>()) all.push_back(std::move(option));
    for (RenderOption& option : run_options()) all.push_back(std::move(option));
    return all;
  }();
  return options;
}

}  // namespace tessera::job
