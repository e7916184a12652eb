#include "statistics/order/order_passes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/error.hpp"
#include "base/text.hpp"
#include "statistics/order/quantile_place.hpp"

namespace tessera::statistics {

namespace {

using job::Operation;

constexpr std::array kOrderOperations = {Operation::median, Operation::quantile,
                                         Operation::mode,   Operation::nunique,
                                         Operation::topk,   Operation::argtopk};

/// All keys of types of at most 16 bits are counted one by one.
bool is_narrow(base::ElementType type) {
  return key_bits(type) <= 16;
}

void add_value(ElementKey key, std::int64_t count, OrderFindings& findings) {
  if (count == 0) return;
  ++findings.distinct;
  const bool more = count > findings.mode_count;
  const bool less = count == findings.mode_count && key < findings.mode;
  if (!more && !less) return;
  findings.mode = key;
  findings.mode_count = count;
}

}  // namespace

bool is_order_statistic(Operation operation) {
  return std::ranges::find(kOrderOperations, operation) != kOrderOperations.end();
}

OrderPasses::OrderPasses(const job::ReduceJob& job, base::ElementType type, std::int64_t elements,
                         std::uint64_t max_keys)
    : job_(job), type_(type), elements_(elements), max_keys_(max_keys) {
  if (!base::is_floating(type)) return;
  for (const Operation operation : {Operation::mode, Operation::nunique}) {
    if (!wants(operation)) continue;
    throw base::usage_error("--op {}: is for integers; the array has {}",
                            job::operation_name(operation), base::element_code(type));
  }
}

bool OrderPasses::requested(const job::ReduceJob& job) {
  return std::ranges::any_of(job.operations, is_order_statistic);
}

bool OrderPasses::wants(Operation operation) const {
  return std::ranges::find(job_.operations, operation) != job_.operations.end();
}

bool OrderPasses::counts_values() const {
  return wants(Operation::mode) || wants(Operation::nunique);
}

std::int64_t OrderPasses::top() const {
  return std::max(wants(Operation::topk) ? job_.topk : 0,
                  wants(Operation::argtopk) ? job_.argtopk : 0);
}

std::vector<double> OrderPasses::fractions() const {
  std::vector<double> fractions =
      wants(Operation::quantile) ? job_.quantiles : std::vector<double>{};
  if (wants(Operation::median)) fractions.push_back(0.5);
  return fractions;
}

bool OrderPasses::samples() const {
  return !is_narrow(type_) && !fractions().empty() && elements_ > kSampleRuns * kSampleRun;
}

KeyRequest OrderPasses::blank() const {
  return {.max_keys = max_keys_};
}

KeyRequest OrderPasses::first(const KeySample& sample) const {
  KeyRequest request = blank();
  request.top = top();
  request.top_nans = top_nans();
  const NumberKeys numbers = number_keys(type_);
  const std::vector<double> sought = fractions();
  if (is_narrow(type_)) {
    if (!sought.empty() || counts_values()) request.ranges = {{numbers.least, numbers.greatest, 0}};
    return request;
  }
  request.values = counts_values();
  if (sought.empty()) return request;
  const std::vector<KeySegment> segments =
      samples() ? likely_segments(sample, sought, elements_, numbers)
                : std::vector<KeySegment>{{numbers.least, numbers.greatest, 0, elements_}};
  request.ranges = ranges_of(segments, max_keys_);
  return request;
}

std::int64_t OrderPasses::ranked(const Partial& all) const {
  const bool has_nan_result = all.nans > 0 && job_.nan == job::NanPolicy::propagate;
  return has_nan_result ? 0 : all.elements - all.nans;
}

std::vector<std::int64_t> OrderPasses::ranks(const Partial& all) const {
  const std::int64_t n = ranked(all);
  std::vector<std::int64_t> ranks;
  if (n == 0) return ranks;
  if (wants(Operation::median)) ranks = {(n - 1) / 2, n / 2};
  if (!wants(Operation::quantile)) return ranks;
  for (const double q : job_.quantiles) {
    const QuantilePlace place = quantile_place(job_.quantile_method, q, n);
    ranks.insert(ranks.end(), {place.lower, place.upper});
  }
  return ranks;
}

void OrderPasses::find_ranks(const KeyRequest& last, KeyTally& tally, const Partial& all,
                             OrderFindings& findings, KeyRequest& next) const {
  std::map<ElementKey, KeySegment> unknown;
  for (const std::int64_t rank : ranks(all)) {
    if (findings.by_rank.contains(rank)) continue;
    const Located at = locate(rank, last.ranges, tally.ranges, ranked(all), number_keys(type_));
    if (at.key) {
      findings.by_rank[rank] = *at.key;
    } else {
      unknown[at.segment.low] = at.segment;
    }
  }
  std::vector<KeySegment> segments;
  for (const auto& [low, segment] : unknown) segments.push_back(segment);
  next.ranges = ranges_of(segments, max_keys_);
}

void OrderPasses::count_bins(const KeyRequest& last, const KeyTally& tally,
                             OrderFindings& findings) const {
  const std::vector<std::int64_t>& bins = tally.ranges.front().bins;
  for (std::size_t bin = 0; bin < bins.size(); ++bin) {
    add_value(last.ranges.front().low + bin, bins[bin], findings);
  }
}

bool OrderPasses::count_values(const KeyTally& tally, OrderFindings& findings,
                               KeyRequest& next) const {
  const ElementKey last = tally.values.last();
  for (const ValueCounts::Entry& entry : tally.values.entries()) {
    if (entry.key <= last) add_value(entry.key, entry.count, findings);
  }
  next.values = last < greatest_key(type_);
  next.values_from = last + 1;
  return next.values;
}

std::optional<KeyRequest> OrderPasses::next(const KeyRequest& last, KeyTally& tally,
                                            const Partial& all, OrderFindings& findings) const {
  KeyRequest next = blank();
  if (last.top > 0) findings.top = tally.top.sorted();
  if (last.values) count_values(tally, findings, next);
  if (is_narrow(type_) && counts_values()) count_bins(last, tally, findings);
  find_ranks(last, tally, all, findings, next);
  if (!next.any()) return std::nullopt;
  return next;
}

OrderFindings OrderPasses::find_in(std::span<ElementKey> keys, Partial& counts) const {
  OrderFindings found;
  const NumberKeys numbers = number_keys(type_);
  TopElements largest(top());
  for (std::size_t i = 0; i < keys.size() && top() > 0; ++i) {
    const bool number = numbers.contain(keys[i]);
    if (!number && !top_nans()) continue;
    const ElementKey order = number ? unsigned_zero_key(keys[i], type_) : TopElement::kNan;
    largest.add({order, static_cast<std::int64_t>(i), keys[i]});
  }
  found.top = largest.sorted();
  const auto nans = std::partition(keys.begin(), keys.end(),
                                   [&](ElementKey key) { return numbers.contain(key); });
  counts.elements = std::ssize(keys);
  counts.nans = keys.end() - nans;
  keys = keys.first(static_cast<std::size_t>(nans - keys.begin()));
  std::vector<std::int64_t> ascending = ranks(counts);
  std::ranges::sort(ascending);
  auto unsorted = keys.begin();
  for (const std::int64_t rank : ascending) {
    const auto at = keys.begin() + rank;
    if (at >= unsorted) std::nth_element(unsorted, at, keys.end());
    unsorted = at + 1;
    found.by_rank[rank] = *at;
  }
  if (!counts_values()) return found;
  std::ranges::sort(keys);
  for (auto first = keys.begin(); first != keys.end();) {
    const auto end = std::upper_bound(first, keys.end(), *first);
    add_value(*first, end - first, found);
    first = end;
  }
  return found;
}

std::string OrderPasses::plan_text(const KeyRequest& first) const {
  const double bytes =
      static_cast<double>(elements_) * static_cast<double>(base::element_bytes(type_));
  const int most = samples() ? max_passes(type_, 2 * fractions().size()) : 1;
  std::string text = reading_text(bytes, first.ranges, most);
  if (first.values) {
    text += fmt::format("; once more for every {} different values",
                        base::format_count(static_cast<double>(first.max_values())));
  }
  return text;
}

}  // namespace tessera::statistics
