// Answers for exact_sums_test.py: reads records of binary f64 from stdin, sums each in random parts
// that are merged in random order as words, as ranks do, and writes nine f64 for each record.
//
// exact_answers lists the methods: one by one, and each instruction set on f64 and f32
// exact_answers METHOD record: u64 n, ddof, parts, seed; n f64 answer: sum, mean, norm1, norm2,
// var, std, dot with them reversed, skewness, kurtosis
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/cpu/cpu_target.hpp"
#include "kernels/exact/moments.hpp"
#include "statistics/power_bins.hpp"

namespace {

using namespace tessera::kernels;
using tessera::device::cpu::CpuTarget;
using tessera::device::cpu::ExactSumKernels;

struct Record {
  std::uint64_t n, ddof, parts, seed;
};

struct Sums {
  Superaccumulator sum, absolute;
  SquareAccumulator squares, dot;
  CubeAccumulator cubes;
  FourthPowerAccumulator fourths;
};

using Numbers = std::span<const double>;
using Method = std::function<Sums(Numbers x, Numbers y)>;

Sums sums_one_by_one(Numbers x, Numbers y) {
  Sums sums;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sums.sum.add(x[i]);
    sums.absolute.add(std::abs(x[i]));
    sums.squares.add_product(x[i], x[i]);
    sums.dot.add_product(x[i], y[i]);
    if (!std::isfinite(x[i])) continue;
    sums.cubes.add_power(exact_term(x[i]));
    sums.fourths.add_power(exact_term(x[i]));
  }
  return sums;
}

template <class T>
Sums sums_by(const ExactSumKernels<T>& functions, Numbers x, Numbers y) {
  const std::vector<T> a(x.begin(), x.end()), b(y.begin(), y.end());
  Sums sums;
  functions.sum(a, sums.sum, {});
  functions.absolute_sum(a, sums.absolute, {});
  functions.dot(a, a, sums.squares, {});
  functions.dot(a, b, sums.dot, {});
  Superaccumulator sum;
  SquareAccumulator squares;
  functions.moments(a, sum, squares, {});
  if (!(sum == sums.sum && squares == sums.squares)) throw std::runtime_error("moments differ");
  static tessera::statistics::PowerBins<3> cubes;
  static tessera::statistics::PowerBins<4> fourths;
  cubes.add(std::span<const T>(a), sums.cubes);
  fourths.add(std::span<const T>(a), sums.fourths);
  return sums;
}

std::map<std::string, Method> methods() {
  std::map<std::string, Method> all{{"one-by-one", sums_one_by_one}};
  for (const CpuTarget& target : tessera::device::cpu::cpu_targets()) {
    const std::string& name = target.name;
    const auto& set = target.sums;
    all[name] = [f64 = set.f64](Numbers x, Numbers y) { return sums_by(f64, x, y); };
    all[name + ":f32"] = [f32 = set.f32](Numbers x, Numbers y) { return sums_by(f32, x, y); };
  }
  return all;
}

template <class Sum>
Sum merged(const std::vector<Sums>& parts, Sum Sums::*member) {
  std::vector<std::int64_t> total(Sum::kWords), words(Sum::kWords);
  Sum by_merge;
  for (const Sums& part : parts) {
    (part.*member).to_words(words);
    for (std::size_t i = 0; i < words.size(); ++i) total[i] += words[i];
    by_merge.merge(part.*member);
  }
  const Sum by_words = Sum::from_words(total);
  if (!(by_words == by_merge)) throw std::runtime_error("words and merge differ");
  return by_words;
}

double moment(double (*formula)(const CentralMoments&), const Record& record,
              const Superaccumulator& sum, const SquareAccumulator& squares,
              const std::vector<Sums>& parts) {
  const CubeAccumulator cubes = merged(parts, &Sums::cubes);
  const FourthPowerAccumulator fourths = merged(parts, &Sums::fourths);
  if (record.n == 0 || !sum.finite()) return std::nan("");
  return formula({record.n,
                  {LongNumber::of(sum), LongNumber::of(squares), LongNumber::of(cubes),
                   LongNumber::of(fourths)}});
}

std::vector<double> answers(const Method& method, const Record& record,
                            const std::vector<double>& x) {
  std::mt19937_64 random(record.seed);
  const std::vector<double> y(x.rbegin(), x.rend());
  std::vector<std::size_t> cuts{0, x.size()};
  for (std::uint64_t i = 1; i < record.parts; ++i) cuts.push_back(random() % (x.size() + 1));
  std::sort(cuts.begin(), cuts.end());
  std::vector<Sums> parts;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const std::size_t count = cuts[i + 1] - cuts[i];
    parts.push_back(
        method(std::span(x).subspan(cuts[i], count), std::span(y).subspan(cuts[i], count)));
  }
  std::shuffle(parts.begin(), parts.end(), random);
  const Superaccumulator sum = merged(parts, &Sums::sum);
  const SquareAccumulator squares = merged(parts, &Sums::squares);
  return {sum.rounded(),
          sum.divided_by(record.n),
          merged(parts, &Sums::absolute).rounded(),
          square_root(squares),
          variance(sum, squares, record.n, record.ddof),
          standard_deviation(sum, squares, record.n, record.ddof),
          merged(parts, &Sums::dot).rounded(),
          moment(skewness, record, sum, squares, parts),
          moment(excess_kurtosis, record, sum, squares, parts)};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    for (const auto& [name, method] : methods()) std::puts(name.c_str());
    return 0;
  }
  const Method method = methods().at(argv[1]);
  Record record;
  while (std::fread(&record, sizeof record, 1, stdin) == 1) {
    std::vector<double> x(record.n);
    if (std::fread(x.data(), sizeof(double), x.size(), stdin) != x.size()) return 2;
    const std::vector<double> out = answers(method, record, x);
    std::fwrite(out.data(), sizeof(double), out.size(), stdout);
  }
}
