// Reductions along axes as tests make them: pieces of an array to the answers about each output.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "device/axis_reducer.hpp"
#include "device/device.hpp"
#include "device/powers/power_reducers.hpp"
#include "reduction_cases.hpp"
#include "statistics/output_values.hpp"
#include "tests/plan/box_elements.hpp"

namespace tessera::device {

inline Elements elements_of(ElementType type, std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Elements bytes = any_bits(type, static_cast<std::size_t>(count), random);
  // Half of them ordinary, or there would hardly be a finite sum.
  if (type == ElementType::f64 || type == ElementType::f32) {
    std::normal_distribution<double> gauss;
    for (std::int64_t i = 0; i < count; ++i) {
      if (random() % 32 == 0) continue;
      const double wide = random() % 16 == 0 ? -0.0 : gauss(random);
      const auto narrow = static_cast<float>(wide);
      const std::size_t size = base::element_bytes(type);
      std::memcpy(&bytes[static_cast<std::size_t>(i) * size],
                  type == ElementType::f64 ? static_cast<const void*>(&wide) : &narrow, size);
    }
  }
  return bytes;
}

/// The elements of a box, in C order.
inline Elements box_of(std::span<const std::byte> elements, const plan::Shape& shape,
                       const plan::Box& box, std::size_t bytes) {
  Elements found;
  for (const std::int64_t index : plan::elements_of_box(shape, box)) {
    const auto element = elements.subspan(static_cast<std::size_t>(index) * bytes, bytes);
    found.insert(found.end(), element.begin(), element.end());
  }
  return found;
}

struct Case {
  plan::Shape shape;
  std::vector<bool> reduced;
  plan::Shape piece;
};

/// Of every output, in the order of the tiles. Each share of a tile by a reducer's own round, sent
/// and merged; with one share also what the reducer answers itself is looked at.
inline std::vector<std::string> reduce(const Device& device, const Case& cut,
                                       const statistics::OutputSpec& output_spec,
                                       std::span<const std::byte> elements, std::int64_t shares) {
  const plan::AxisPlan plan(cut.shape, cut.reduced, cut.piece,
                            plan::StorageOrder::last_dimension_fastest);
  const auto reducer = open_axis_reducer(device, output_spec);
  const auto nan = output_spec.spec.skip_nan ? job::NanPolicy::skip : job::NanPolicy::propagate;
  std::vector<std::string> described;
  for (std::int64_t tile = 0; tile < plan.tiles(); ++tile) {
    const std::int64_t outputs = plan.tile(tile).elements();
    statistics::OutputPartials all;
    for (std::int64_t share = 0; share < shares; ++share) {
      reducer->begin(outputs);
      std::int64_t added = 0;
      for (std::int64_t p = share; p < plan.pieces_each(); p += shares) {
        const plan::AxisPiece piece = plan.piece(tile, p);
        const auto box =
            box_of(elements, cut.shape, piece.box, base::element_bytes(output_spec.spec.type));
        reducer->add(box, piece);
        reducer->wait();
        added += piece.box.elements();
      }
      statistics::OutputPartials mine, sent;
      reducer->end();
      reducer->finish(added / outputs, mine);
      base::ByteWriter out;
      mine.write(out);
      const base::Bytes bytes = out.take();
      base::ByteReader in(bytes);
      sent.read(in);
      if (share == 0) {
        all = sent;
      } else {
        all.merge(sent);
      }
    }
    for (std::int64_t o = 0; o < outputs; ++o) {
      described.push_back(describe(all.partial(output_spec, o), output_spec.spec.type, nan));
      const std::size_t bins = output_spec.bins->count();
      const auto first = all.histogram.begin() + o * static_cast<std::int64_t>(bins);
      described.back() +=
          fmt::format("; {}", fmt::join(first, first + static_cast<std::int64_t>(bins), " "));
    }
  }
  return described;
}

/// What a file would hold of every tile: of an operation behind its name.
inline std::vector<std::string> answers(const Device& device, const Case& cut,
                                        const statistics::OutputSpec& output_spec,
                                        std::span<const std::byte> elements, std::int64_t ddof) {
  const plan::AxisPlan plan(cut.shape, cut.reduced, cut.piece,
                            plan::StorageOrder::last_dimension_fastest);
  const auto nan = output_spec.spec.skip_nan ? job::NanPolicy::skip : job::NanPolicy::propagate;
  job::ReduceJob job{.ddof = ddof, .nan = nan};
  job.histogram.bins = static_cast<std::int64_t>(output_spec.bins->count());
  const auto reducer = open_axis_reducer(device, output_spec);
  std::vector<std::string> found;
  for (std::int64_t tile = 0; tile < plan.tiles(); ++tile) {
    const std::int64_t outputs = plan.tile(tile).elements();
    reducer->begin(outputs);
    for (std::int64_t p = 0; p < plan.pieces_each(); ++p) {
      const plan::AxisPiece piece = plan.piece(tile, p);
      const auto box =
          box_of(elements, cut.shape, piece.box, base::element_bytes(output_spec.spec.type));
      reducer->add(box, piece);
      reducer->wait();
    }
    reducer->end();
    std::vector<statistics::AnswerType> results;
    std::vector<std::vector<std::byte>> bytes;
    std::vector<bool> known;
    for (const job::Operation operation : every_operation()) {
      const job::OperationRow& row = job::row_of(operation);
      if (!row.along_axes || row.arrays == 2) continue;  // pairs have specs of their own
      results.push_back(statistics::result_of(operation, output_spec.spec.type, job));
      bytes.emplace_back(static_cast<std::size_t>(outputs) * results.back().bytes_each());
      known.push_back(reducer->answer(operation, {plan.elements_each(), ddof}, bytes.back()));
    }
    statistics::OutputPartials partials;
    reducer->finish(plan.elements_each(), partials);
    for (std::size_t i = 0; i < results.size(); ++i) {
      std::string text(job::operation_name(results[i].operation));
      if (!known[i] &&
          statistics::write_answers(results[i], output_spec, partials, ddof, bytes[i])) {
        found.push_back(text + " does not fit");
        continue;
      }
      for (const std::byte byte : bytes[i]) text += fmt::format(" {:02x}", static_cast<int>(byte));
      found.push_back(std::move(text));
    }
  }
  return found;
}

/// A column a thread, rows, few outputs and many, levels of both kinds in turn.
inline std::vector<Case> axis_cases() {
  return {{{50, 33}, {true, false}, {7, 33}},
          {{33, 50}, {false, true}, {20, 50}},
          {{3, 5000}, {false, true}, {1, 2600}},
          {{900, 2}, {true, false}, {300, 2}},
          {{6, 5, 8, 7}, {true, false, true, false}, {3, 5, 4, 7}}};
}

}  // namespace tessera::device
