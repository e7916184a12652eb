#include "post/job_of_file.hpp"

#include "written_file.hpp"

namespace tessera::post {
namespace {

class FileJob : public WrittenFile {
 protected:
  job::RenderJob read() const { return job_of(store::Hdf5ImageReader(path_), path_); }
  void expect_refused(const std::vector<std::string>& words) {
    expect_says(error_of([&] { read(); }), base::ExitCode::usage, words);
  }
};

TEST_F(FileJob, is_the_job_that_made_the_file) {
  job_.image.center_re = -0.5;
  job_.center_text = "-0.5,0";
  job_.image.iterations = 70000;
  job_.iterations_from = job::IterationsFrom::given;
  job_.image.bailout = 7;
  job_.compress = 0;
  job_.view = "seahorse";
  job_.of_frames = 7;
  job_.defaults = "palette=ember (/etc/tessera.toml)";
  write(header());
  EXPECT_EQ(read(), job_);
}

TEST_F(FileJob, holds_for_an_image_smaller_than_a_tile) {
  job_.image.size_px = {20, 9};
  write(header());
  EXPECT_EQ(read().image, job_.image);
}

TEST_F(FileJob, passes_over_what_decides_no_pixel) {
  job_.view = "seahorse";
  auto changed = header();
  for (const char* const key : {"view", "device", "threads", "memory", "palette", "output"}) {
    set(changed, key, "of another Tessera");
  }
  write(changed);
  const job::RenderJob got = read();
  EXPECT_EQ(got.image, job_.image);
  EXPECT_EQ(got.view, "of another Tessera");
  EXPECT_EQ(got.device, job::RenderJob{}.device);
}

TEST_F(FileJob, knows_the_formula_and_is_the_mandelbrot_set_without_one) {
  job_.formula_text = "julia:-0.8,0.156";
  job_.image.formula = job::parse_formula(job_.formula_text, "");
  job_.iterations_from = job::IterationsFrom::given;
  auto changed = header();
  write(changed);
  EXPECT_EQ(read(), job_);
  set(changed, "formula", "julia");
  write(changed);
  expect_refused({path_, "formula", "needs its constant"});
  std::erase_if(changed.attributes, [](const auto& entry) { return entry.name == "formula"; });
  write(changed);
  EXPECT_EQ(read().image.formula, job::Formula{});
}

TEST_F(FileJob, needs_every_key_that_decides_pixels_or_layout) {
  for (const char* const key :
       {"center", "width", "size", "iterations", "bailout", "fields", "tile", "compress"}) {
    auto lacking = header();
    std::erase_if(lacking.attributes, [&](const auto& entry) { return entry.name == key; });
    write(lacking);
    expect_refused({path_, key});
  }
}

TEST_F(FileJob, a_value_that_is_none_names_file_and_attribute) {
  auto changed = header();
  set(changed, "width", "wide");
  write(changed);
  expect_refused({path_, "width", "wide"});
}

TEST_F(FileJob, refuses_datasets_that_are_not_as_the_attributes_say) {
  const std::vector<std::vector<std::string>> cases = {
      {"size", "70x51", "70x50"},         {"tile", "16", "32x32"},
      {"fields", "iterations", "smooth"}, {"iterations", "70000", "u16"},
      {"compress", "0", "filter"},
  };
  for (const auto& one : cases) {
    auto changed = header();
    set(changed, one[0], one[1]);
    write(changed);
    expect_refused({path_, "'" + one[0] + "'", one[2]});
  }
}

}  // namespace
}  // namespace tessera::post
