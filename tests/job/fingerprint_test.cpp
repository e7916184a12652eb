// What belongs to the identity of a job's data and what does not.
#include "job/image/fingerprint.hpp"

#include <map>
#include <set>

#include "given.hpp"

namespace tessera::job {

TEST(Fingerprint, changes_with_what_decides_pixels_and_layout_and_with_nothing_else) {
  // Another value for every option; an option without one here would fail the test below.
  const std::map<std::string_view, std::string_view> other = {{"view", "sun"},
                                                              {"formula", "tricorn"},
                                                              {"center", "-0.5,0"},
                                                              {"width", "2.5"},
                                                              {"size", "100x100"},
                                                              {"iterations", "999"},
                                                              {"bailout", "4"},
                                                              {"fields", "smooth"},
                                                              {"tile", "64"},
                                                              {"compress", "2"},
                                                              {"output", "b.h5"},
                                                              {"png", "b.png"},
                                                              {"palette", "ice"},
                                                              {"resume", "true"},
                                                              {"checkpoint", "9"},
                                                              {"max-seconds", "9"},
                                                              {"overwrite", "true"},
                                                              {"device", "cpu"},
                                                              {"threads", "5"},
                                                              {"memory", "64M"},
                                                              {"device-memory", "1G"},
                                                              {"quiet", "true"},
                                                              {"report", "r.json"},
                                                              {"trace", "t.json"},
                                                              {"report-html", "r.html"},
                                                              {"serve", "true"},
                                                              {"serve-listen", "0.0.0.0:80"},
                                                              {"share", "2/3"},
                                                              {"writers", "2"},
                                                              {"pool", "p"},
                                                              {"frames", "3"},
                                                              {"isolate", "off"},
                                                              {"device-timeout", "9"},
                                                              {"heartbeat", "9"},
                                                              {"supersample", "2"},
                                                              {"palette-cycle", "2"},
                                                              {"palette-offset", "0.5"},
                                                              {"palette-scale", "linear:9"},
                                                              {"inside", "#ffffff"},
                                                              {"equalize", "true"},
                                                              {"png-depth", "16"},
                                                              {"from", "a.png"},
                                                              {"region", "0,0,9,9"},
                                                              {"json", "true"},
                                                              {"no-token", "true"},
                                                              {"interior", "derivative"},
                                                              {"matrix", "0,-1,1,0"},
                                                              {"rotate", "30"},
                                                              {"stretch", "2"},
                                                              {"mirror", "true"},
                                                              {"arithmetic", "perturbation"}};
  const std::set<std::string_view> layout = {"fields", "tile", "supersample"};
  const std::string usual = fingerprint(RenderJob{});
  std::set<std::string> seen{usual};
  for (const auto& option : render_options()) {
    // Another word for the width, what plain images do not have, and what needs its field.
    if (option.name == "zoom" || option.name == "exact" || option.name == "distance") continue;
    if (option.name == "light") continue;
    if (option.name.ends_with("-per-frame")) continue;                          // of a zoom only
    if (option.name == "height" || option.name.starts_with("pool-")) continue;  // with --pool only
    ASSERT_TRUE(other.contains(option.name)) << option.name;
    const std::string print = fingerprint(job_of({{"center", "-0.75,0"},
                                                  {"width", "3"},
                                                  {"fields", "iterations"},
                                                  {"output", "a.h5"},
                                                  {option.name, other.at(option.name)}}));
    const bool place =
        option.scope == Scope::image && option.name != "from" && option.name != "region";
    if (place || layout.contains(option.name)) {
      EXPECT_TRUE(seen.insert(print).second) << option.name;
    } else {
      EXPECT_EQ(print, usual) << option.name;
    }
  }
}

TEST(Fingerprint, changes_when_the_datasets_have_no_filters) {
  EXPECT_NE(fingerprint(job_of({{"compress", "0"}})), fingerprint(job_of({{"compress", "1"}})));
}

TEST(Fingerprint, goes_by_the_value_and_not_by_the_way_it_is_written) {
  EXPECT_EQ(fingerprint(job_of({{"center", "-0.7500+0i"}, {"width", "30e-1"}})),
            fingerprint(RenderJob{}));
  EXPECT_EQ(fingerprint(job_of({{"center", "-0.75,-0"}})), fingerprint(RenderJob{}));
  EXPECT_EQ(fingerprint(job_of({{"view", "whole"}, {"width", "3"}})), fingerprint(RenderJob{}));
}

TEST(Fingerprint, sees_the_last_bit_of_a_coordinate) {
  EXPECT_NE(fingerprint(job_of({{"center", "-0.75000000000000011,0"}})), fingerprint(RenderJob{}));
}

TEST(Fingerprint, sees_digits_beyond_those_of_a_float) {
  // The same f64, two places.
  const auto at = [](std::string_view center, std::string_view width) {
    return fingerprint(job_of({{"center", center}, {"width", width}, {"arithmetic", "plain"}}));
  };
  const std::string here = at("-0.7436438870371587,0.1", "1e-9");
  EXPECT_NE(at("-0.74364388703715870000001,0.1", "1e-9"), here);
  EXPECT_NE(at("-0.7436438870371587,0.100000000000000000001", "1e-9"), here);
  EXPECT_NE(at("-0.7436438870371587,0.1", "1.00000000000000000000001e-9"), here);
  EXPECT_EQ(at("-0.74364388703715870000000,+.1", "0.000000001"), here);
  EXPECT_EQ(at("-74364388703715870e-17,1e-1", "10E-10"), here);
  const std::string deep = at("-0.74364388703715870000001,0.1", "1e-9");
  EXPECT_EQ(at("-7.4364388703715870000001e-1 + 0.1i", "1e-9"), deep);
}

TEST(Fingerprint, knows_formulas_by_what_they_say) {
  const auto of = [](std::string_view formula) {
    return fingerprint(job_of({{"formula", formula}}));
  };
  EXPECT_EQ(of("mandelbrot"), fingerprint(job_of({})));
  std::set<std::string> seen;
  for (const std::string_view formula :
       {"mandelbrot", "julia:-0.8,0.156", "julia:-0.8,-0.156", "julia:0,0",
        "julia:-0.800000000000000000001,0.156", "burning-ship", "tricorn", "multibrot:3",
        "multibrot:4", "multibrot:8"}) {
    EXPECT_TRUE(seen.insert(of(formula)).second) << formula;
  }
  EXPECT_EQ(of("julia:-.80,+0.1560"), of("julia:-0.8,0.156"));
  EXPECT_EQ(of("julia:-8e-1+156e-3i"), of("julia:-0.8,0.156"));
  EXPECT_EQ(of(" julia : -0.8 , 0.156 "), of("julia:-0.8,0.156"));
  EXPECT_EQ(of("julia:0,-0"), of("julia:0,0"));
}

TEST(Fingerprint, tells_tests_of_the_interior_apart) {
  const auto of = [](std::string_view interior) {
    return fingerprint(job_of({{"arithmetic", "perturbation"}, {"interior", interior}}));
  };
  EXPECT_EQ(of("proven"), fingerprint(job_of({{"arithmetic", "perturbation"}})));
  EXPECT_NE(of("derivative"), of("proven"));
}

TEST(Fingerprint, leaves_out_how_distances_are_drawn) {
  const auto of = [](std::string_view distance) {
    return fingerprint(
        job_of({{"fields", "smooth,distance"}, {"png", "a.png"}, {"distance", distance}}));
  };
  EXPECT_EQ(of("1"), of("2"));
  EXPECT_NE(of("1"), fingerprint(job_of({{"fields", "smooth"}, {"png", "a.png"}})));
}

TEST(Fingerprint, tells_deep_images_apart_whose_uncertain_pixels_stay) {
  const auto of = [](std::string_view exact) {
    return fingerprint(job_of({{"arithmetic", "perturbation"}, {"exact", exact}}));
  };
  EXPECT_EQ(of("on"), fingerprint(job_of({{"arithmetic", "perturbation"}})));
  EXPECT_NE(of("off"), of("on"));
}

TEST(Fingerprint, of_an_option_is_what_verify_reads_and_nothing_else) {
  const std::set<std::string_view> deciding = {
      "formula", "center",   "width",      "size",  "iterations", "bailout", "fields",
      "tile",    "compress", "arithmetic", "exact", "interior",   "matrix"};
  for (const auto& option : render_options()) {
    EXPECT_EQ(static_cast<bool>(option.identity), deciding.contains(option.name)) << option.name;
  }
}

TEST(Fingerprint, stays_the_same_from_version_to_version) {
  // Files carry it. The value was computed apart from this code, from the text that it hashes.
  EXPECT_EQ(fingerprint(RenderJob{}), "75319c5593a7030a");
  // From a file of version 0.2.0, which knew no other arithmetic.
  EXPECT_EQ(fingerprint(job_of({{"view", "deep-spiral"},
                                {"size", "16x9"},
                                {"fields", "iterations,smooth"},
                                {"arithmetic", "plain"}})),
            "a9371af4c0b3f5ee");
}

}  // namespace tessera::job
