// The named places.
#include "job/image/views.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/decimal.hpp"
#include "given.hpp"

namespace tessera::job {

TEST(Views, are_at_least_sixteen_with_names_of_their_own) {
  std::set<std::string_view> names;
  std::set<std::string_view> descriptions;
  for (const View& view : views()) {
    EXPECT_TRUE(names.insert(view.name).second) << view.name;
    EXPECT_TRUE(descriptions.insert(view.description).second) << view.name;
    EXPECT_FALSE(view.description.empty());
    EXPECT_LT(view.description.size(), 70u) << view.name;
  }
  EXPECT_GE(names.size(), 16u);
}

TEST(Views, beyond_f64_are_at_least_two_dozen) {
  const auto deep = std::ranges::count_if(views(), [](const View& view) {
    return job_of({{"view", view.name}}).image.width < 1e-13;
  });
  EXPECT_GE(deep, 24);
}

TEST(Views, can_all_be_resolved_in_4k) {
  for (const View& view : views()) {
    const RenderJob job = job_of({{"view", view.name}, {"size", "3840x2160"}});
    EXPECT_EQ(job.view, view.name);
    EXPECT_EQ(job.center_text, view.center);
    EXPECT_TRUE(view.height > 0 || job.width_text == view.width) << view.name;
    EXPECT_EQ(job.image.iterations, view.iterations);
  }
}

TEST(Views, are_at_least_two_for_each_formula) {
  std::map<kernels::TsFormula, int> seen;
  for (const View& view : views()) ++seen[job_of({{"view", view.name}}).image.formula.id];
  EXPECT_EQ(seen.size(), kernels::kFormulas.size());
  for (const auto& [formula, count] : seen) EXPECT_GE(count, 2) << kernels::kFormulas[formula].name;
}

TEST(Views, that_benchmarks_rely_on_stay_where_they_are) {
  const ImageSpec whole = job_of({{"view", "whole"}, {"size", "1000x1000"}}).image;
  EXPECT_EQ(whole, (ImageSpec{.center_re = -0.75,
                              .center_im = 0,
                              .width = 3,
                              .size_px = {1000, 1000},
                              .iterations = 1000}));
  const ImageSpec elephant = job_of({{"view", "elephant"}}).image;
  EXPECT_EQ(
      elephant,
      (ImageSpec{
          .center_re = 0.2925755, .center_im = -0.0149977, .width = 0.03, .iterations = 2000}));
}

TEST(Views, are_whole_in_an_image_of_any_shape) {
  for (const View& view : views()) {
    for (const std::string_view size : {"3840x2160", "100x100", "90x160", "2390x1000", "1000x10"}) {
      const ImageSpec image = job_of({{"view", view.name}, {"size", size}}).image;
      const double width = base::nearest_real(view.width, "width");
      if (width < 1e-290) continue;
      const double height = view.height > 0 ? view.height : width * 9 / 16;
      const double rows = static_cast<double>(image.size_px.height);
      EXPECT_GE(image.width, width) << view.name << size;
      EXPECT_GE(image.step() * rows, height * (1 - 1e-15)) << view.name << size;
      EXPECT_LE(image.width,
                std::max(width, 1.002 * height * (image.width / (image.step() * rows))))
          << view.name << size;
    }
  }
}

TEST(Views, beyond_f64_are_whole_in_flat_images) {
  const View view{"deep", "", "0,0", "4e-1086", 1};
  EXPECT_EQ(fitted_width(view, {1600, 900}), "4e-1086");
  EXPECT_EQ(fitted_width(view, {1600, 400}), "9.005e-1086");  // 9e-1086 and 5/10000 of it
  EXPECT_EQ(fitted_width(view, {900, 1600}), "4e-1086");
}

TEST(Views, of_the_whole_set_hold_it) {
  const ImageSpec image = job_of({{"size", "1920x1080"}}).image;
  EXPECT_GT(image.step() * 1080 / 2, 1.13);  // the set reaches to 1.1226i
}

TEST(Views, that_are_unknown_are_told_with_the_nearest_name) {
  expect_error(base::ExitCode::usage, {"--view", "'elefant'", "did you mean 'elephant'"},
               [] { find_view("elefant"); });
}

}  // namespace tessera::job
