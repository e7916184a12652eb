// Parses and prints numbers and names in the form that users write and read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::base {

/// The parts of `text` between separators, without blanks around them; "" has no parts.
std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);

/// An integer in [low, high]; throws a usage error that starts with `what` otherwise.
std::int64_t parse_integer(std::string_view text, std::string_view what, std::int64_t low,
                           std::int64_t high);

/// A finite decimal number; throws a usage error that starts with `what` for anything else
/// (hexadecimal floats, "nan", "inf", trailing text) and outside the range of f64, such as 1e-400.
double parse_real(std::string_view text, std::string_view what);

/// Bytes: "512M", "2G", "1.5GiB", "1000"; K, M, G, T are powers of 1024.
std::uint64_t parse_bytes(std::string_view text, std::string_view what);

std::string format_bytes(double bytes);  ///< "1.5 GiB"
/// Two different numbers for a comparison: as format_bytes(), or in bytes if the texts would be
/// equal.
std::pair<std::string, std::string> format_different_bytes(double one, double other);
std::string format_count(double count);  ///< "17.2 G"
/// "1 thread", "2 threads"
std::string count_of(std::int64_t count, std::string_view thing);
/// "1 tile is", "2 tiles are"
std::string count_are(std::int64_t count, std::string_view thing);
/// "1 of 1 tile is", "1 of 2 tiles is", "2 of 2 tiles are"
std::string some_are(std::int64_t count, std::int64_t all, std::string_view thing);
std::string format_seconds(double seconds);  ///< "0.31 s", "4 min 10 s", "3 h 05 min"

/// A text by which names are sorted so that "p2" comes before "p10", whatever the number of digits.
/// Leading zeros do not count: "p2" and "p02" have the same key.
std::string natural_key(std::string_view name);

/// Returns the candidate that a misspelled `name` probably means; "" if there is none.
std::string nearest(std::string_view name, std::span<const std::string> candidates);

/// "a, b, c"
std::string join(std::span<const std::string> parts, std::string_view separator = ", ");

}  // namespace tessera::base
