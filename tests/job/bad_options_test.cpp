// Every bad option has a message of one line that names it.
#include "given.hpp"

namespace tessera::job {

struct BadOption {
  std::string_view name;
  std::string_view value;
  std::vector<std::string> words;  ///< that the message must hold
};

class BadOptions : public testing::TestWithParam<BadOption> {};

TEST_P(BadOptions, are_usage_errors_that_name_the_option) {
  const BadOption& bad = GetParam();
  std::vector<std::string> words = bad.words;
  words.insert(words.begin(), "--" + std::string(bad.name));
  expect_error(base::ExitCode::usage, words, [&] { job_of({{bad.name, bad.value}}); });
}

const std::vector<BadOption> kBadSizes = {
    {"size", "0x100", {"'0'", "1 to 2147483647"}},
    {"size", "100x0", {"'0'", "1 to 2147483647"}},
    {"size", "-5x100", {"'-5'"}},
    {"size", "2147483648x1", {"'2147483648'", "2147483647"}},
    {"size", "1x99999999999999999999", {"2147483647"}},
    {"size", "2k", {"'2k'", "3840x2160", "4k"}},
    {"size", "4kx2k", {"'4k'"}},
    {"size", "", {"3840x2160"}},
    {"size", "100x", {"''"}},
    {"size", "10x10x10", {"'10x10'"}},
    {"size", "1e3x10", {"'1e3'"}},
};

const std::vector<BadOption> kBadNumbers = {
    {"iterations", "0", {"1 to 9007199254740992"}},
    {"iterations", "9007199254740993", {"1 to 9007199254740992"}},
    {"iterations", "18446744073709551616", {"18446744073709551616"}},
    {"iterations", "1e30", {"1e30"}},
    {"iterations", "-1", {"'-1'"}},
    {"iterations", "12abc", {"'12abc'", "whole number"}},
    {"iterations", "1e-5", {"'1e-5'"}},
    {"iterations", "10.5", {"'10.5'"}},
    {"iterations", "0x10", {"'0x10'"}},
    {"iterations", "nan", {"'nan'"}},
    {"iterations", "inf", {"'inf'"}},
    {"iterations", "", {"''"}},
    {"bailout", "0", {"above 0"}},
    {"bailout", "-2", {"above 0"}},
    {"bailout", "nan", {"finite"}},
    {"bailout", "inf", {"finite"}},
    {"bailout", "2e100", {"1e100"}},
    {"bailout", "1e999", {"range"}},
    {"bailout", "0x1p3", {"decimal"}},
    {"width", "0", {"above 0"}},
    {"width", "-1", {"above 0"}},
    {"width", "1e101", {"1e100"}},
    {"width", "1e-100001", {"1e-100000"}},
    {"width", "1e-99999999999", {"1e-100000"}},
    {"width", "1e-99999999999999999999", {"1e-100000"}},
    {"zoom", "0", {"above 0"}},
    {"zoom", "-1", {"above 0"}},
    {"zoom", "deep", {"'deep'", "decimal"}},
    {"zoom", "1.234567890123456789", {"18 digits"}},
    {"zoom", "1e-200", {"1e100"}},
    {"exact", "maybe", {"neither on nor off"}},
    {"arithmetic", "perturbed", {"there are auto, plain, perturbation, exact"}},
    {"width", "wide", {"'wide'", "decimal"}},
    {"width", "", {"''"}},
    {"width", "3 px", {"'3 px'"}},
    {"tile", "0", {"1 to 16384"}},
    {"tile", "16385", {"1 to 16384"}},
    {"tile", "Auto", {"'Auto'"}},
    {"threads", "-1", {"0 to 1024"}},
    {"threads", "1025", {"0 to 1024"}},
    {"compress", "4", {"0 to 3"}},
    {"compress", "-1", {"0 to 3"}},
    {"memory", "15M", {"at least 16M"}},
    {"memory", "-1G", {"'-1G'"}},
    {"memory", "lots", {"'lots'", "512M"}},
    {"memory", "", {"512M"}},
};

const std::vector<BadOption> kBadFormulas = {
    {"formula", "", {"''", "mandelbrot", "julia", "burning-ship", "tricorn", "multibrot"}},
    {"formula", "Mandelbrot", {"'Mandelbrot'", "did you mean 'mandelbrot'"}},
    {"formula", "burningship", {"did you mean 'burning-ship'"}},
    {"formula", "mandelbrot:3", {"mandelbrot takes no parameter", "'3'"}},
    {"formula", "tricorn:", {"tricorn takes no parameter"}},
    {"formula", "julia", {"needs its constant", "julia:-0.8,0.156"}},
    {"formula", "julia:", {"needs its constant"}},
    {"formula", "julia:1", {"'1'", "-0.75,0.1"}},
    {"formula", "julia:nan,0", {"'nan'"}},
    {"formula", "julia:0,inf", {"'inf'"}},
    {"formula", "julia:0x1,0", {"'0x1'"}},
    {"formula", "julia:1,2,3", {"'2,3'"}},
    {"formula", "julia:2e100,0", {"1e100"}},
    {"formula", "multibrot", {"needs its power", "3 to 8"}},
    {"formula", "multibrot:", {"needs its power"}},
    {"formula", "multibrot:2", {"is the Mandelbrot set", "mandelbrot"}},
    {"formula", "multibrot:1", {"'1'", "3 to 8"}},
    {"formula", "multibrot:9", {"'9'", "3 to 8"}},
    {"formula", "multibrot:x", {"'x'"}},
    {"formula", "multibrot:3.0", {"'3.0'"}},
    {"formula", "multibrot:nan", {"'nan'"}},
};

const std::vector<BadOption> kBadPlaces = {
    {"center", "1", {"'1'", "-0.75,0.1"}},
    {"center", "", {"-0.75,0.1"}},
    {"center", "1,", {"''", "finite decimal"}},
    {"center", "1,2,3", {"'2,3'"}},
    {"center", "nan,0", {"'nan'"}},
    {"center", "0,inf", {"'inf'"}},
    {"center", "0x1,0", {"'0x1'"}},
    {"center", "2e100,0", {"1e100"}},
    {"center", "0,-2e100", {"1e100"}},
    {"center", "0.5+0.5", {"-0.75+0.1i"}},
    {"center", "1e+5i", {"-0.75+0.1i"}},
    {"center", "1+-2i", {"'1+'"}},
    {"view", "sea-horse", {"'sea-horse'", "did you mean 'seahorse'"}},
    {"view", "", {"no view ''; `tessera views` lists all"}},
    {"view", "xxxxxxxxxxxxxxxx", {"xx'; `tessera views` lists all"}},
    {"view", "galxies", {"'galxies'; did you mean 'galaxies'? `tessera views` lists all"}},
    {"view",
     "minibrot",
     {"did you mean 'elephant-minibrot', 'seahorse-minibrot', 'deep-minibrot'? "}},
};

const std::vector<BadOption> kBadNames = {
    {"fields", "iteration", {"'iteration'", "did you mean 'iterations'"}},
    {"fields", "depth", {"'depth'", "iterations, smooth, distance"}},
    {"fields", "", {"iterations, smooth, distance"}},
    {"distance", "0", {"above 0"}},
    {"distance", "near", {"'near'"}},
    {"light", "left", {"'left'"}},
    {"light", "400", {"-360 to 360"}},
    {"light", "45,-1", {"no height from 0"}},
    {"light", "45,1,2", {"'1,2'"}},
    {"interior", "derivate", {"did you mean 'derivative'?"}},
    {"fields", "smooth,smooth", {"'smooth'", "twice"}},
    {"fields", "iterations,", {"''"}},
    {"output", "", {"or --png for a picture alone"}},
    {"output", "  ", {"empty"}},
    {"palette", "", {"empty"}},
    {"device", "", {"empty"}},
    {"overwrite", "yes", {"'yes'", "true nor false"}},
    {"quiet", "1", {"'1'", "true nor false"}},
    {"png", "a\nb.png", {"line break"}},
    {"device", std::string_view("cpu\0", 4), {"control character"}},
    {"widht", "3", {"no such option", "'width'"}},
    {"zzzzzzzzzz", "3", {"no such option", "there are view, from, region, formula, center"}},
};

INSTANTIATE_TEST_SUITE_P(Sizes, BadOptions, testing::ValuesIn(kBadSizes));
INSTANTIATE_TEST_SUITE_P(Numbers, BadOptions, testing::ValuesIn(kBadNumbers));
INSTANTIATE_TEST_SUITE_P(Formulas, BadOptions, testing::ValuesIn(kBadFormulas));
INSTANTIATE_TEST_SUITE_P(Places, BadOptions, testing::ValuesIn(kBadPlaces));
INSTANTIATE_TEST_SUITE_P(Names, BadOptions, testing::ValuesIn(kBadNames));

}  // namespace tessera::job
