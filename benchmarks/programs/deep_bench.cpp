// Deep pixels on one core beside the usual loop (bilinear_loop.hpp), and reference orbits beside a
// plain loop of MPFR. CPU seconds for 1024 x 1024 pixels, from a smaller image of the same place.
//
//   deep_bench --side 192 e50 e113
#include <fmt/format.h>
#include <mpfr.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "bilinear_loop.hpp"
#include "deep/deep_block.hpp"
#include "deep/mul_helper_thread.hpp"
#include "device/cpu/cpu_target.hpp"
#include "job/image/views.hpp"
#include "processor_time.hpp"

namespace {

using namespace tessera;

constexpr double kPixels = 1024.0 * 1024.0;
constexpr double kMinForF64 = 1e-290;

double wall_s(const std::function<void()>& work) {
  const auto start = base::Clock::now();
  work();
  return base::seconds_between(start, base::Clock::now());
}

deep::Formula formula_of(const job::View& view) {
  const job::Formula formula = job::parse_formula(view.formula, "formula");
  return {formula.id, formula.degree, formula.constant_re_text, formula.constant_im_text};
}

deep::Place place_of(const std::string& name, std::int64_t side) {
  const job::View& view = job::find_view(name, "place");
  const std::string center(view.center);
  const auto comma = center.find(',');
  return {.center_re = center.substr(0, comma),
          .center_im = center.substr(comma + 1),
          .width = std::string(view.width),
          .size_px = {side, side},
          .iterations = view.iterations,
          .formula = formula_of(view)};
}

class PlaceBench {
 public:
  PlaceBench(const std::string& name, std::int64_t side)
      : name_(name), exact_(place_of(name, side)), all_{0, 0, side, side} {
    orbit_s_ = bench::seconds_of(
        [&] { orbit_ = std::make_shared<const deep::ReferenceOrbit>(deep::orbit_of(exact_)); });
    table_s_ = bench::seconds_of([&] { image_.emplace(deep::make_image(exact_, orbit_)); });
    deep::Place quick = exact_;
    quick.exact = false;
    quick_.emplace(deep::make_image(quick, orbit_));
    quick.distance = true;
    distance_.emplace(deep::make_image(quick, orbit_));
  }

  nlohmann::json measure(int repeats) {
    const auto tables_s =
        bench::seconds_of([&] { render(*image_); });  // makes the tables of 106 bits
    std::vector<double> exact_s, quick_s, distance_s;
    deep::DeepBlock exact;
    for (int i = 0; i < repeats; ++i) {
      quick_s.push_back(scaled(bench::seconds_of([&] { render(*quick_); })));
      distance_s.push_back(scaled(bench::seconds_of([&] { render(*distance_); })));
      exact_s.push_back(scaled(bench::seconds_of([&] { exact = render(*image_); })));
    }
    const auto pixels = static_cast<double>(all_.pixels());
    nlohmann::json found = {{"place", name_},
                            {"orbit_s", orbit_s_},
                            {"table_s", table_s_},
                            {"tables_s", tables_s - exact_s.back() * pixels / kPixels},
                            {"iterations", orbit_->length()},
                            {"steps", static_cast<double>(exact.executed) / pixels},
                            {"uncertain", static_cast<double>(exact.uncertain) / pixels},
                            {"quick_s", bench::median(quick_s)},
                            {"distance_s", bench::median(distance_s)},
                            {"exact_s", bench::median(exact_s)}};
    // The loop of others is for z^2 + c from 0.
    if (exact_step() < kMinForF64 || exact_.formula != deep::Formula{}) return found;
    for (const int bits : {24, 53}) add_peer(bits, exact, found);
    return found;
  }

 private:
  double scaled(double seconds) const {
    return seconds * kPixels / static_cast<double>(all_.pixels());
  }
  deep::DeepBlock render(const deep::DeepImage& image) const {
    return deep::render_block(image, all_, device::cpu::cpu_targets().front().pixels.advance_deep);
  }
  double exact_step() const { return deep::step_of(exact_).value(); }

  void add_peer(int bits, const deep::DeepBlock& truth, nlohmann::json& found) const {
    const double step = exact_step();
    const auto side = static_cast<double>(all_.width);
    const bench::BilinearLoop loop(*orbit_, step * side, std::exp2(-bits));
    std::int64_t wrong = 0;
    const double seconds = bench::seconds_of([&] {
      for (std::size_t i = 0; i < truth.counts.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        const std::uint32_t count = loop.count(deep::column_offset(exact_, at % all_.width) * step,
                                               deep::row_offset(exact_, at / all_.width) * step,
                                               static_cast<std::uint32_t>(exact_.iterations), 4);
        wrong += count == truth.counts[i] ? 0 : 1;
      }
    });
    found[fmt::format("peer_{}_s", bits)] = scaled(seconds);
    found[fmt::format("peer_{}_wrong", bits)] =
        static_cast<double>(wrong) / static_cast<double>(all_.pixels());
  }

  std::string name_;
  deep::Place exact_;
  base::PixelRect all_;
  std::shared_ptr<const deep::ReferenceOrbit> orbit_;
  double orbit_s_ = 0, table_s_ = 0;
  std::optional<deep::DeepImage> image_, quick_, distance_;
};

/// Three squarings: (x + y)^2 - x^2 - y^2.
void plain_orbit(const deep::BigComplex& c, std::uint64_t iterations) {
  const std::int64_t bits = c.re.bits();
  deep::BigReal x(bits), y(bits), x2(bits), y2(bits), sum(bits);
  for (std::uint64_t n = 0; n < iterations; ++n) {
    mpfr_add(sum.get(), x.get(), y.get(), MPFR_RNDN);
    mpfr_sqr(sum.get(), sum.get(), MPFR_RNDN);
    mpfr_sqr(x2.get(), x.get(), MPFR_RNDN);
    mpfr_sqr(y2.get(), y.get(), MPFR_RNDN);
    mpfr_sub(y.get(), sum.get(), x2.get(), MPFR_RNDN);
    mpfr_sub(y.get(), y.get(), y2.get(), MPFR_RNDN);
    mpfr_add(y.get(), y.get(), c.im.get(), MPFR_RNDN);
    mpfr_sub(x.get(), x2.get(), y2.get(), MPFR_RNDN);
    mpfr_add(x.get(), x.get(), c.re.get(), MPFR_RNDN);
  }
}

/// Microseconds of two multiplications of so many bits, in the quickest blocks of eight: those in
/// which no other program had a core that this one wanted.
double quickest_pair_us(std::int64_t bits, bool both) {
  constexpr int kBlock = 8;
  constexpr std::size_t kQuickest = 100;  // one of so many
  deep::BigReal x(bits), y(bits), x2(bits), xy(bits);
  mpfr_sqrt_ui(x.get(), 2, MPFR_RNDN);
  mpfr_sqrt_ui(y.get(), 3, MPFR_RNDN);
  const auto multiply = [&] { mpfr_mul(xy.get(), x.get(), y.get(), MPFR_RNDN); };
  deep::MulHelperThread second(multiply);
  const auto pair = [&] {
    both ? second.begin() : multiply();
    mpfr_mul(x2.get(), x.get(), y.get(), MPFR_RNDN);
    if (both) second.wait();
  };
  std::vector<double> blocks_us;
  const auto start = base::Clock::now();
  while (base::seconds_between(start, base::Clock::now()) < 1) {
    blocks_us.push_back(1e6 / kBlock * wall_s([&] {
                          for (int i = 0; i < kBlock; ++i) pair();
                        }));
  }
  std::ranges::sort(blocks_us);
  return blocks_us[blocks_us.size() / kQuickest];
}

/// The reference orbit of a point that escapes late, in the precision that a view of this depth
/// has.
nlohmann::json measure_orbit(std::int64_t decimal_places, int repeats) {
  const auto bits =
      static_cast<std::int64_t>(3.3219281 * static_cast<double>(decimal_places)) + 100;
  const deep::BigComplex c{deep::BigReal("-0.75", bits), deep::BigReal("1e-7", bits)};
  const auto iterations =
      static_cast<std::uint64_t>(std::max(200.0, 2e9 / std::pow(static_cast<double>(bits), 1.5)));
  std::vector<double> own_us, plain_us, ratios, speedups, quickest;
  const double us = 1e6 / static_cast<double>(iterations);
  const auto compute = [&](int threads) {
    deep::compute_orbit(deep::OrbitStart(c), {.iterations = iterations, .threads = threads});
  };
  for (int i = 0; i < repeats; ++i) {
    own_us.push_back(us * bench::seconds_of([&] { compute(1); }));
    plain_us.push_back(us * bench::seconds_of([&] { plain_orbit(c, iterations); }));
    ratios.push_back(plain_us.back() / own_us.back());
    const double plain_s = wall_s([&] { plain_orbit(c, iterations); });
    speedups.push_back(plain_s / wall_s([&] { compute(2); }));
    quickest.push_back(quickest_pair_us(bits, false) / quickest_pair_us(bits, true));
  }
  return {{"bits", bits},
          {"us", bench::median(own_us)},
          {"plain_us", bench::median(plain_us)},
          {"ratio", bench::median(ratios)},
          {"two_threads", bench::median(speedups)},
          {"two_threads_at_best", bench::median(quickest)}};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("deep pixels of named views, and reference orbits");
  std::int64_t side = 192;
  int repeats = 3;
  std::vector<std::string> places;
  std::vector<std::int64_t> orbits;
  app.add_option("--side", side, "of the square images");
  app.add_option("--repeats", repeats, "of each measurement");
  app.add_option("--orbits", orbits, "decimal places of reference orbits");
  app.add_option("places", places, "named views");
  CLI11_PARSE(app, argc, argv);
  nlohmann::json found;
  for (const std::string& name : places) {
    found["places"].push_back(PlaceBench(name, side).measure(repeats));
  }
  for (const std::int64_t at : orbits) found["orbits"].push_back(measure_orbit(at, repeats));
  fmt::print("{}\n", found.dump(1));
  return 0;
}
