// Exact sums of many outputs at once: of each only the limbs that any of them needs.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "kernels/exact/superaccumulator.hpp"

namespace tessera::statistics {

/// `Sum` is one of kernels::ExactSum. Numbers of NaN and infinities are not kept here. Room for
/// 2^30 additions to an output between two calls of carry().
template <class Sum>
class LimbColumns {
 public:
  static constexpr bool kHoldsIntegers = false;
  static constexpr std::size_t kBytesEach = sizeof(Sum);  ///< at most

  void clear() {
    outputs_ = first_ = limbs_ = 0;
    words_.clear();
    zeros_.clear();
  }
  /// Forgets everything.
  void reset(std::int64_t outputs) {
    clear();
    grow(static_cast<std::size_t>(outputs));
  }
  /// Adds outputs without terms.
  void grow(std::size_t outputs) {
    outputs_ = outputs;
    words_.resize(outputs_ * limbs_);
    zeros_.resize(outputs_, kNothing);
  }

  std::int64_t outputs() const { return static_cast<std::int64_t>(outputs_); }

  /// x * 2^exponent.
  void add_scaled(std::int64_t output, std::int64_t x, int exponent) {
    const auto bits = static_cast<std::uint64_t>(x);
    add_magnitude(output, x < 0 ? -bits : bits, exponent, x < 0);
  }
  /// x^kPower; as many additions as words.
  void add_power(std::int64_t output, const kernels::ExactTerm& x) {
    if (x.magnitude == 0) return;
    const auto words = kernels::power_words<Sum::kPower>(x.magnitude);
    const bool negative = x.negative && Sum::kPower % 2 == 1;
    for (int word = 0; word < Sum::kPower; ++word) {
      add_magnitude(output, words[static_cast<std::size_t>(word)],
                    Sum::kPower * x.exponent + 64 * word, negative);
    }
  }
  void add_magnitude(std::int64_t output, std::uint64_t magnitude, int exponent, bool negative) {
    const auto at = static_cast<std::size_t>(output);
    zeros_[at] |= kOther;
    if (magnitude == 0) return;
    const auto bit = static_cast<std::size_t>(exponent - Sum::kLowestExponent);
    reach(bit / 32, bit / 32 + 3);
    const auto bits = static_cast<kernels::UnsignedInt128>(magnitude) << (bit % 32);
    std::int64_t* const limb = &words_[at * limbs_ + (bit / 32 - first_)];
    const std::int64_t sign = negative ? -1 : 0;
    for (int i = 0; i < 3; ++i) {
      const auto piece =
          static_cast<std::int64_t>(static_cast<std::uint64_t>(bits >> (32 * i)) & 0xffffffff);
      limb[i] += (piece ^ sign) - sign;
    }
  }
  void add_negative_zero(std::int64_t output) {
    zeros_[static_cast<std::size_t>(output)] |= kNegativeZero;
  }

  /// The finite part of a sum.
  void add(std::int64_t output, const Sum& sum) {
    std::array<std::int64_t, Sum::kWords> words;
    sum.to_words(words);
    const auto at = static_cast<std::size_t>(output);
    if (words[Sum::kLimbs + 3] != 0) zeros_[at] |= kNegativeZero;
    if (words[Sum::kLimbs + 4] != 0) zeros_[at] |= kOther;
    const std::span limbs = std::span(words).first(Sum::kLimbs);
    const auto none = [](std::int64_t limb) { return limb == 0; };
    const auto begin = std::ranges::find_if_not(limbs, none);
    if (begin == limbs.end()) return;
    const auto end = std::find_if_not(limbs.rbegin(), limbs.rend(), none).base();
    const auto first = static_cast<std::size_t>(begin - limbs.begin());
    reach(first, static_cast<std::size_t>(end - limbs.begin()));
    std::int64_t* const to = &words_[at * limbs_ + (first - first_)];
    std::transform(begin, end, to, to, std::plus<>());
  }

  /// Of the same outputs.
  void merge(const LimbColumns& other, std::identity = {}) {
    if (other.limbs_ > 0) {
      reach(other.first_, other.first_ + other.limbs_);
      for (std::size_t o = 0; o < outputs_; ++o) {
        for (std::size_t i = 0; i < other.limbs_; ++i) {
          words_[o * limbs_ + (other.first_ - first_) + i] += other.words_[o * other.limbs_ + i];
        }
      }
    }
    for (std::size_t o = 0; o < outputs_; ++o) zeros_[o] |= other.zeros_[o];
    carry();
  }

  Sum sum(std::int64_t output) const {
    std::array<std::int64_t, Sum::kWords> words{};
    const auto at = static_cast<std::size_t>(output);
    std::copy_n(words_.begin() + static_cast<std::ptrdiff_t>(at * limbs_), limbs_,
                words.begin() + static_cast<std::ptrdiff_t>(first_));
    words[Sum::kLimbs + 3] = (zeros_[at] & kNegativeZero) != 0;
    words[Sum::kLimbs + 4] = (zeros_[at] & kOther) != 0;
    return Sum::from_words(words);
  }

  /// Leaves each limb but the highest with 32 bits.
  void carry() {
    if (limbs_ == 0) return;
    const std::size_t last = std::min(first_ + limbs_ + 1, Sum::kLimbs);
    reach(first_, last);  // what is carried out of the highest one needs room
    for (std::size_t o = 0; o < outputs_; ++o) {
      std::int64_t carried = 0;
      for (std::size_t i = 0; i + 1 < limbs_; ++i) {
        std::int64_t& limb = words_[o * limbs_ + i];
        limb += carried;
        carried = limb >> 32;
        limb &= 0xffffffff;
      }
      words_[o * limbs_ + limbs_ - 1] += carried;
    }
    drop_empty();
  }

  void write(base::ByteWriter& to) const {
    to.put(outputs_).put(first_).put(limbs_);
    to.put_bytes(std::as_bytes(std::span(words_))).put_bytes(std::as_bytes(std::span(zeros_)));
  }
  void read(base::ByteReader& from) {
    outputs_ = from.get<std::size_t>();
    first_ = from.get<std::size_t>();
    limbs_ = from.get<std::size_t>();
    words_.resize(outputs_ * limbs_);
    zeros_.resize(outputs_);
    std::ranges::copy(from.get_bytes(words_.size() * sizeof(std::int64_t)),
                      std::as_writable_bytes(std::span(words_)).begin());
    std::ranges::copy(from.get_bytes(zeros_.size()),
                      std::as_writable_bytes(std::span(zeros_)).begin());
  }

 private:
  static constexpr std::uint8_t kNothing = 0;
  static constexpr std::uint8_t kNegativeZero = 1;
  static constexpr std::uint8_t kOther = 2;

  /// Makes room for limbs [first, end).
  void reach(std::size_t first, std::size_t end) {
    if (limbs_ == 0) first_ = first;
    end = std::min(end, Sum::kLimbs);
    const std::size_t new_first = std::min(first, first_);
    const std::size_t new_end = std::max(end, first_ + limbs_);
    if (new_first == first_ && new_end == first_ + limbs_) return;
    resize(new_first, new_end);
  }

  void resize(std::size_t new_first, std::size_t new_end) {
    const std::size_t limbs = new_end - new_first;
    std::vector<std::int64_t> words(outputs_ * limbs);
    const std::size_t from = std::max(first_, new_first);
    const std::size_t end = std::min(first_ + limbs_, new_end);
    for (std::size_t o = 0; o < outputs_; ++o) {
      for (std::size_t i = from; i < end; ++i) {
        words[o * limbs + (i - new_first)] = words_[o * limbs_ + (i - first_)];
      }
    }
    words_ = std::move(words);
    first_ = new_first;
    limbs_ = limbs;
  }

  /// Lets go of limbs at the upper end that no output uses.
  void drop_empty() {
    std::size_t used = limbs_;
    const auto unused = [&](std::size_t limb) {
      for (std::size_t o = 0; o < outputs_; ++o) {
        if (words_[o * limbs_ + limb] != 0) return false;
      }
      return true;
    };
    while (used > 1 && unused(used - 1)) --used;
    if (used < limbs_) resize(first_, first_ + used);
  }

  std::size_t outputs_ = 0;
  std::size_t first_ = 0;  ///< limb of the first word of each output
  std::size_t limbs_ = 0;  ///< words of each output
  std::vector<std::int64_t> words_;
  std::vector<std::uint8_t> zeros_;  ///< which kinds of terms there were
};

}  // namespace tessera::statistics
