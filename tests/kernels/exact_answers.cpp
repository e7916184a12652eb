// Answers for exact_sums_test.py: reads records of binary f64 from stdin, sums each in random parts
// that are merged in random order as words, as ranks do, and writes seven f64 for each record.
//
//   exact_answers METHOD     record: u64 n, ddof, parts, seed; n f64
//                            answer: sum, mean, norm1, norm2, var, std, dot of the numbers and them
//                            reversed
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/superaccumulator.hpp"

namespace {

using namespace tessera::kernels;

struct Record {
  std::uint64_t n, ddof, parts, seed;
};

struct Sums {
  Superaccumulator sum, absolute;
  SquareAccumulator squares, dot;
};

Sums scalar_sums(std::span<const double> x, std::span<const double> y) {
  Sums sums;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sums.sum.add(x[i]);
    sums.absolute.add(std::abs(x[i]));
    sums.squares.add_product(x[i], x[i]);
    sums.dot.add_product(x[i], y[i]);
  }
  return sums;
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

std::vector<double> answers(const Record& record, const std::vector<double>& x) {
  std::mt19937_64 random(record.seed);
  const std::vector<double> y(x.rbegin(), x.rend());
  std::vector<std::size_t> cuts{0, x.size()};
  for (std::uint64_t i = 1; i < record.parts; ++i) cuts.push_back(random() % (x.size() + 1));
  std::sort(cuts.begin(), cuts.end());
  std::vector<Sums> parts;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const std::size_t count = cuts[i + 1] - cuts[i];
    parts.push_back(
        scalar_sums(std::span(x).subspan(cuts[i], count), std::span(y).subspan(cuts[i], count)));
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
          merged(parts, &Sums::dot).rounded()};
}

}  // namespace

int main(int argc, char**) {
  if (argc < 2) {
    std::puts("scalar");
    return 0;
  }
  Record record;
  while (std::fread(&record, sizeof record, 1, stdin) == 1) {
    std::vector<double> x(record.n);
    if (std::fread(x.data(), sizeof(double), x.size(), stdin) != x.size()) return 2;
    const std::vector<double> out = answers(record, x);
    std::fwrite(out.data(), sizeof(double), out.size(), stdout);
  }
}
