// Options become a job.
#include "given.hpp"
#include "job/image/views.hpp"
#include "job/values.hpp"

namespace tessera::job {

using base::ExitCode;

TEST(RenderJob, is_the_whole_set_when_nothing_is_given) {
  const RenderJob job = job_of({{"size", "1000x1000"}});
  RenderJob usual;
  usual.image.size_px = {1000, 1000};
  usual.arithmetic_auto = false;  // decided
  usual.iterations_from = IterationsFrom::depth;
  EXPECT_EQ(job, usual);
  EXPECT_EQ(job_of({}).image, job_of({{"view", "whole"}}).image);
}

TEST(RenderJob, takes_the_limits_of_every_range) {
  EXPECT_EQ(job_of({{"size", "2147483647x1"}}).image.size_px.width, 2147483647);
  EXPECT_EQ(job_of({{"iterations", "4294967294"}}).image.iterations, 4294967294u);
  EXPECT_EQ(
      job_of({{"arithmetic", "perturbation"}, {"iterations", "9007199254740992"}}).image.iterations,
      std::uint64_t{1} << 53);
  EXPECT_EQ(job_of({{"bailout", "1e100"}}).image.bailout, 1e100);
  EXPECT_EQ(job_of({{"tile", "16384"}}).tile_px, 16384);
  EXPECT_FALSE(job_of({{"tile", "16384"}}).tile_auto);
  EXPECT_EQ(job_of({{"tile", "16384"}, {"tile", "auto"}}), job_of({}));
  EXPECT_EQ(job_of({{"supersample", "16"}}).supersample, 16);
  expect_error(ExitCode::usage, {"--supersample", "17"}, [] { job_of({{"supersample", "17"}}); });
  EXPECT_EQ(job_of({{"threads", "1024"}}).threads, 1024);
  EXPECT_EQ(job_of({{"memory", "16M"}}).memory_bytes, 16u << 20);
  EXPECT_EQ(job_of({{"center", "1e100,-1e100"}, {"width", "1e100"}}).image.center_im, -1e100);
}

TEST(RenderJob, lets_the_later_of_two_options_win) {
  EXPECT_EQ(job_of({{"iterations", "7"}, {"tile", "64"}, {"iterations", "9"}}).image.iterations,
            9u);
}

TEST(RenderJob, lets_every_option_win_over_the_view_wherever_it_stands) {
  const RenderJob job = job_of({{"width", "0.5"}, {"iterations", "77"}, {"view", "seahorse"}});
  EXPECT_EQ(job.view, "");
  EXPECT_EQ(job.image.width, 0.5);
  EXPECT_EQ(job.image.iterations, 77u);
  EXPECT_EQ(job.image.center_re, -0.74352);
}

TEST(RenderJob, has_iterations_by_its_depth_where_neither_a_view_nor_a_number_is_given) {
  const auto iterations = [](std::string_view width) {
    return job_of({{"center", "-1.75,0"}, {"width", width}}).image.iterations;
  };
  EXPECT_EQ(iterations("4"), 1000u);
  EXPECT_EQ(iterations("1"), 1000u);
  EXPECT_EQ(iterations("0.5"), 1250u);
  EXPECT_EQ(iterations("1e-9"), 8500u);
  EXPECT_EQ(iterations("1e-400"), 1000u + 250 * 1329);
  EXPECT_EQ(job_of({{"zoom", "4e9"}}).image.iterations, 8500u);
  EXPECT_EQ(job_of({{"zoom", "4e9"}}).iterations_from, IterationsFrom::depth);
  // All images of a zoom have those of the last one.
  EXPECT_EQ(job_of({{"zoom", "4e9"}, {"frames", "20"}}).image.iterations, 8500u);
}

TEST(RenderJob, keeps_the_iterations_of_a_view_or_a_number_unless_auto_is_given) {
  const RenderJob view = job_of({{"view", "seahorse"}, {"width", "1e-5"}});
  EXPECT_EQ(view.image.iterations, find_view("seahorse").iterations);
  EXPECT_EQ(view.iterations_from, IterationsFrom::given);
  EXPECT_EQ(job_of({{"width", "1e-5"}, {"iterations", "1000"}}).image.iterations, 1000u);
  EXPECT_EQ(
      job_of({{"view", "seahorse"}, {"width", "1e-9"}, {"iterations", "auto"}}).image.iterations,
      8500u);
  EXPECT_EQ(job_of({{"iterations", "7"}, {"iterations", "auto"}}), job_of({}));
}

TEST(RenderJob, keeps_the_view_when_only_the_size_is_given) {
  const RenderJob job = job_of({{"view", "seahorse"}, {"size", "640x480"}});
  EXPECT_EQ(job.image.size_px, (base::ImageSize{640, 480}));
  EXPECT_EQ(job.width_text, "0.0025");
}

TEST(RenderJob, reads_a_centre_in_both_forms) {
  for (const std::string_view text :
       {"-0.75,0.1", "-0.75+0.1i", " -0.75 , 0.1 ", "-0.75 + 0.1i", "-7.5e-1+1e-1i"}) {
    const ImageSpec image = job_of({{"center", text}}).image;
    EXPECT_EQ(image.center_re, -0.75) << text;
    EXPECT_EQ(image.center_im, 0.1) << text;
  }
  EXPECT_EQ(job_of({{"center", "0.25-1.5e-3i"}}).image.center_im, -1.5e-3);
}

TEST(RenderJob, keeps_all_digits_of_a_centre_and_rounds_them_to_the_nearest_f64) {
  // Half way between 1 and the next f64, and a little more than that, far behind the point.
  const std::string half = "1.00000000000000011102230246251565404236316680908203125";
  const std::string more = half + std::string(300, '0') + "1";
  const RenderJob job = job_of({{"center", half + "," + more}});
  EXPECT_EQ(job.image.center_re, 1.0);
  EXPECT_EQ(job.image.center_im, 1.0000000000000002);
  EXPECT_EQ(job.center_text, half + "," + more);
}

TEST(RenderJob, always_stores_iterations_first) {
  const std::vector<Field> both{Field::iterations, Field::smooth};
  EXPECT_EQ(job_of({{"fields", "smooth"}}).fields, both);
  EXPECT_EQ(job_of({{"fields", "smooth, iterations"}}).fields, both);
  EXPECT_EQ(job_of({{"fields", "iterations"}}).fields, std::vector{Field::iterations});
}

TEST(RenderJob, has_distances_where_a_picture_draws_them) {
  const std::vector<Field> all{Field::iterations, Field::smooth, Field::distance};
  EXPECT_EQ(job_of({{"fields", "distance,smooth"}}).fields, all);
  EXPECT_EQ(job_of({{"png", "a.png"}, {"distance", "1"}}).fields, all);
  EXPECT_EQ(job_of({{"png", "a.png"}, {"fields", "distance"}, {"distance", "1"}}).fields,
            (std::vector<Field>{Field::iterations, Field::distance}));
  EXPECT_EQ(colored_field(job_of({{"fields", "distance"}}).fields), Field::iterations);
}

TEST(RenderJob, has_a_gradient_where_a_picture_is_lit) {
  const std::vector<Field> lit{Field::iterations, Field::smooth, Field::gradient_x,
                               Field::gradient_y};
  EXPECT_EQ(job_of({{"fields", "gradient,smooth"}}).fields, lit);
  EXPECT_EQ(job_of({{"png", "a.png"}, {"light", "45"}}).fields, lit);
  EXPECT_EQ(format_fields(lit), "iterations,smooth,gradient");
  EXPECT_EQ(job_of({{"png", "a.png"}, {"light", "45"}}).light, (Light{45, 1.5}));
}

TEST(RenderJob, wants_a_bailout_of_two_for_smooth_values) {
  expect_error(ExitCode::usage, {"--bailout", "at least 2", "1.5"}, [] {
    job_of({{"fields", "smooth"}, {"bailout", "1.5"}});
  });
  EXPECT_EQ(job_of({{"bailout", "1.5"}}).image.bailout, 1.5);
  EXPECT_EQ(job_of({{"fields", "smooth"}, {"bailout", "2"}}).image.bailout, 2);
}

TEST(RenderJob, wants_a_bailout_for_smooth_values_outside_of_which_no_orbit_comes_back) {
  expect_error(ExitCode::usage, {"--fields", "julia:-6,0", "at least 3.00", "not 2"}, [] {
    job_of({{"fields", "smooth"}, {"formula", "julia:-6,0"}});
  });
  EXPECT_EQ(job_of({{"formula", "julia:-6,0"}}).image.bailout, 2);
  EXPECT_EQ(
      job_of({{"fields", "smooth"}, {"formula", "julia:-6,0"}, {"bailout", "3.001"}}).image.bailout,
      3.001);
  for (const std::string_view formula : {"julia:-1.9,0.1", "burning-ship", "multibrot:8"}) {
    EXPECT_EQ(job_of({{"fields", "smooth"}, {"formula", formula}}).image.bailout, 2) << formula;
  }
}

TEST(RenderJob, reads_a_formula_with_its_parameter) {
  const auto of = [](std::string_view text) { return job_of({{"formula", text}}); };
  EXPECT_EQ(of("mandelbrot"), job_of({}));
  EXPECT_EQ(of("burning-ship").image.formula.id, kernels::TS_FORMULA_burning_ship);
  EXPECT_EQ(of("tricorn").image.formula.degree, 2);
  for (int degree = 3; degree <= 8; ++degree) {
    EXPECT_EQ(of("multibrot:" + std::to_string(degree)).image.formula.degree, degree);
  }
  const Formula julia = of("julia:-0.8,0.156").image.formula;
  EXPECT_EQ(julia, (Formula{.id = kernels::TS_FORMULA_julia,
                            .constant_re = -0.8,
                            .constant_im = 0.156,
                            .constant_re_text = "-8e-1",
                            .constant_im_text = "156e-3"}));
  EXPECT_EQ(of(" julia: -8e-1 + 0.156i ").image.formula, julia);
  EXPECT_EQ(of("julia:-0.80,0.156").formula_text, "julia:-0.80,0.156");
}

TEST(RenderJob, takes_the_formula_of_its_view_unless_another_is_given) {
  const RenderJob ship = job_of({{"view", "ship"}});
  EXPECT_EQ(ship.image.formula.id, kernels::TS_FORMULA_burning_ship);
  EXPECT_EQ(read_again(ship), ship);
  const RenderJob other = job_of({{"formula", "tricorn"}, {"view", "ship"}});
  EXPECT_EQ(other.image.formula.id, kernels::TS_FORMULA_tricorn);
  EXPECT_EQ(other.center_text, ship.center_text);
}

TEST(RenderJob, wants_a_file_of_its_own_for_every_output) {
  expect_error(ExitCode::usage, {"--png", "'a'", "--output"}, [] {
    job_of({{"output", "a"}, {"png", "a"}});
  });
  expect_error(ExitCode::usage, {"--trace", "--report"}, [] {
    job_of({{"report", "x/../t.json"}, {"trace", "./t.json"}});
  });
  expect_error(ExitCode::usage, {"--report", "--output"}, [] {
    job_of({{"report", "tessera.h5"}});
  });
}

TEST(RenderJob, lets_an_empty_path_switch_off_what_a_file_asked_for) {
  EXPECT_EQ(job_of({{"png", "a.png"}, {"png", ""}}).png, "");
}

TEST(RenderJob, takes_a_share_that_is_one_of_those_there_are) {
  EXPECT_EQ(job_of({{"share", "2/8"}}).share, (Share{2, 8}));
  EXPECT_TRUE(job_of({}).share.whole());
  for (const std::string text : {"0/2", "3/2", "1", "1/2/3", "1/0", "a/b", ""}) {
    expect_error(ExitCode::usage, {"--share"}, [&] { job_of({{"share", text}}); });
  }
  expect_error(ExitCode::usage, {"--share", "tessera merge"}, [] {
    job_of({{"share", "1/2"}, {"png", "a.png"}});
  });
}

TEST(RenderJob, names_the_view_only_where_it_shows_the_place_of_the_view) {
  const auto view_of = [](std::string_view name, std::string_view value) {
    return job_of({{"view", "seahorse"}, {name, value}}).view;
  };
  EXPECT_EQ(view_of("center", "0,0"), "");
  EXPECT_EQ(view_of("width", "0.00251"), "");
  EXPECT_EQ(view_of("iterations", "4999"), "");
  EXPECT_EQ(view_of("formula", "tricorn"), "");
  EXPECT_EQ(view_of("center", " -0.743520,0.13135e0"), "seahorse");
  EXPECT_EQ(view_of("width", "2.5e-3"), "seahorse");
  EXPECT_EQ(view_of("bailout", "3"), "seahorse");
  EXPECT_EQ(job_of({{"view", "whole"}, {"size", "1920x1080"}, {"width", "3"}}).view, "");
}

TEST(RenderJob, has_smooth_values_and_two_pixels_a_side_for_a_picture_alone) {
  const RenderJob job = job_of({{"png", "a.png"}, {"size", "100x80"}});
  EXPECT_TRUE(job.picture_only);
  EXPECT_EQ(job.output, "a.png.h5");
  EXPECT_EQ(job.image.size_px, (base::ImageSize{200, 160}));
  EXPECT_EQ(job.picture_px(), (base::ImageSize{100, 80}));
  EXPECT_EQ(format_fields(job.fields), "iterations,smooth");
  RenderJob again = read_again(job);
  again.smooth_by_default = true;
  EXPECT_EQ(again, job);
  EXPECT_EQ(job_of({{"png", "a.png"}, {"size", "100x80"}, {"output", ""}}), job);
  EXPECT_EQ(job_of({{"png", "a.png"}, {"supersample", "3"}}).image.size_px.width, 5760);
}

TEST(RenderJob, has_the_data_that_was_asked_for_beside_a_picture) {
  const RenderJob job = job_of({{"png", "a.png"}, {"size", "100x80"}, {"output", "a.h5"}});
  EXPECT_FALSE(job.picture_only);
  EXPECT_EQ(job.supersample, 1);
  EXPECT_EQ(format_fields(job.fields), "iterations,smooth");
  RenderJob again = read_again(job);
  again.smooth_by_default = true;
  EXPECT_EQ(again, job);
  const RenderJob finer =
      job_of({{"png", "a.png"}, {"size", "100x80"}, {"output", "a.h5"}, {"supersample", "4"}});
  EXPECT_EQ(finer.image.size_px, (base::ImageSize{400, 320}));
  EXPECT_EQ(read_again(finer).image, finer.image);
  EXPECT_EQ(format_fields(job_of({{"output", "a.h5"}}).fields), "iterations");
  EXPECT_EQ(format_fields(job_of({{"png", "a.png"}, {"fields", "iterations"}}).fields),
            "iterations");
}

TEST(RenderJob, has_a_picture_alone_without_what_its_bailout_or_f64_does_not_allow) {
  EXPECT_EQ(format_fields(job_of({{"png", "a.png"}, {"bailout", "1.5"}}).fields), "iterations");
  const RenderJob deep = job_of({{"png", "a.png"},
                                 {"view", "deep-spiral"},
                                 {"width", "1e-12"},
                                 {"size", "7680x4320"},
                                 {"arithmetic", "plain"}});
  EXPECT_EQ(deep.supersample, 1);
  EXPECT_EQ(job_of({{"png", "a.png"}, {"size", "2147483647x1"}}).supersample, 1);
  expect_error(ExitCode::usage, {"--supersample 2", "2147483647"}, [] {
    job_of({{"png", "a.png"}, {"size", "2147483647x1"}, {"supersample", "2"}});
  });
}

TEST(RenderJob, refuses_names_of_other_kinds_of_files) {
  const auto refuses = [](std::string_view option, std::string_view path, std::string_view hint) {
    expect_error(ExitCode::usage,
                 {"--" + std::string(option), std::string(path), std::string(hint)}, [&] {
                   job_of({{option, path}});
                 });
  };
  refuses("output", "a.png", "did you mean --png?");
  refuses("output", "a.npy", "HDF5 file");
  refuses("png", "a.JPG", "ends in .png");
  refuses("png", "a.exr", "ends in .png");
  refuses("png", "a.h5", "or --output");
  refuses("output", "", "or --png for a picture alone");
  EXPECT_EQ(job_of({{"output", "a.nc"}}).output, "a.nc");
  EXPECT_EQ(job_of({{"output", "a"}, {"png", "b.PNG"}}).png, "b.PNG");
}

TEST(RenderJob, takes_sizes_by_name_and_squares) {
  EXPECT_EQ(job_of({{"size", "16k"}}).image.size_px, (base::ImageSize{15360, 8640}));
  const auto size_of = [](std::string_view text) { return job_of({{"size", text}}).image.size_px; };
  EXPECT_EQ(size_of("4k"), (base::ImageSize{3840, 2160}));
  EXPECT_EQ(size_of("8K"), (base::ImageSize{7680, 4320}));
  EXPECT_EQ(size_of("1920"), (base::ImageSize{1920, 1920}));
  EXPECT_EQ(size_of(" 1920X1080 "), (base::ImageSize{1920, 1080}));
}

TEST(RenderJob, takes_numbers_and_times_as_people_write_them) {
  EXPECT_EQ(job_of({{"iterations", "1e4"}}).image.iterations, 10000U);
  EXPECT_EQ(job_of({{"iterations", "10k"}}).image.iterations, 10000U);
  EXPECT_EQ(job_of({{"max-seconds", "1h30m"}}).max_s, 5400);
  EXPECT_EQ(job_of({{"max-seconds", "1.5"}}).max_s, 1.5);
  EXPECT_EQ(job_of({{"checkpoint", "2m"}}).checkpoint_s, 120);
  for (const char* bad : {"0.5", "1.5", "2d", "soon"}) {
    expect_error(ExitCode::usage, {"--checkpoint", bad}, [&] { job_of({{"checkpoint", bad}}); });
  }
}

TEST(RenderJob, gives_each_share_its_own_of_the_reports_that_a_job_file_names) {
  const std::vector<Given> shares = {{"share", "2/3", "--share"},
                                     {"report", "out.d/a.json", "a.toml:3: report"},
                                     {"trace", "t.json", "--trace"}};
  const RenderJob job = make_render_job(shares);
  EXPECT_EQ(job.report, "out.d/a.share2.json");
  EXPECT_EQ(job.trace, "t.json") << "was named for this share";
}

TEST(MakeJob, refuses_a_zoom_that_is_none) {
  const auto refused =
      [](std::initializer_list<std::pair<std::string_view, std::string_view>> given,
         const std::vector<std::string>& words) {
        expect_error(base::ExitCode::usage, words, [&] { job_of(given); });
      };
  for (const std::string_view frames : {"0", "1", "-3", "2.5", "10001", "many"}) {
    refused({{"frames", frames}}, {"--frames"});
  }
  for (const std::string_view zoom : {"0", "1", "-2", "0.5", "1001", "nan", "wide"}) {
    refused({{"frames", "3"}, {"zoom-per-frame", zoom}}, {"--zoom-per-frame"});
  }
  refused({{"zoom-per-frame", "2"}}, {"--zoom-per-frame: needs --frames"});
  refused({{"turn-per-frame", "2"}}, {"--turn-per-frame: needs --frames"});
  refused({{"frames", "3"}, {"turn-per-frame", "22.4"}}, {"--turn-per-frame 22.4", "22.3 degrees"});
  refused({{"frames", "3"}, {"png", "a.png"}}, {"--png", "tessera film"});
  refused({{"frames", "3"}, {"serve", "true"}}, {"--serve"});
  refused({{"frames", "3"}, {"report-html", "a.html"}}, {"--report-html"});
  refused({{"frames", "3"}, {"width", "1"}, {"zoom", "4"}}, {"--zoom", "--width"});
  refused({{"frames", "400"}}, {"--frames", "400", "wider than 1e100"});
}

}  // namespace tessera::job
