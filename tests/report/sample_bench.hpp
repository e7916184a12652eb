// A machine with a GPU that pays from 2500 pixels on, and arrays on both.
#pragma once

#include "report/bench_report.hpp"

namespace tessera::report {

inline RenderCase sample_render(const std::string& device, std::int64_t side_px, double first_s,
                                double later_s) {
  return {.device = device,
          .side_px = side_px,
          .iterations = 1000,
          .times = {first_s, {later_s * 1.1, later_s * 0.9, later_s}},
          .iterations_done = static_cast<std::uint64_t>(side_px * side_px) * 200,
          .checksum = 0xABC0000000000000 + static_cast<std::uint64_t>(side_px)};
}

inline BenchReport sample_bench() {
  BenchReport bench{.version = "0.1.0 (abc)", .host = "node-1", .wall_s = 12};
  bench.job = {{"device", "auto"}, {"sizes", "500,2500,10000"}};
  bench.devices = {{"cpu", "AVX3, 16 threads", "", false, 16, 0},
                   {"cuda:0", "NVIDIA <H200> & more", "CUDA 13.0", true, 8, 1ULL << 37}};
  bench.renders = {
      sample_render("cpu", 500, .002, .001),    sample_render("cpu", 2500, .03, .02),
      sample_render("cpu", 10000, .4, .3),      sample_render("cuda:0", 500, .25, .0015),
      sample_render("cuda:0", 2500, .25, .004), sample_render("cuda:0", 10000, .26, .01)};
  for (const ArrayWork work : kArrayWork) {
    bench.arrays.push_back({"cpu", 1'000'000, work, {2e-3, {1e-3}}});
    bench.arrays.push_back({"cuda:0", 1'000'000, work, {2e-4, {1e-5}}});
  }
  bench.left_out = {"opencl: not in this build"};
  return bench;
}

}  // namespace tessera::report
