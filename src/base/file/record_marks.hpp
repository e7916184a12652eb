// The marks at offset 0 of the files that Tessera leaves beside its outputs and in its caches: six
// letters for the kind, two digits for the version of its layout. Images and pyramids are HDF5
// files; their attribute `format` tells what they are.
#pragma once

#include <cstddef>
#include <string_view>

namespace tessera::base {

inline constexpr std::size_t kMarkBytes = 8;

inline constexpr std::string_view kCheckpointMark = "TSRRED02";  ///< the state of a reduction
inline constexpr std::string_view kGroupsMark = "TSRGRP02";      ///< OUTPUT.part.groups
inline constexpr std::string_view kRowsMark = "TSRROW02";        ///< OUTPUT.part.rows
inline constexpr std::string_view kNoteMark = "TSRNOT02";        ///< OUTPUT.done
inline constexpr std::string_view kOrbitMark = "TSRORB03";       ///< FILE.h5.orbit
inline constexpr std::string_view kLogMark = "TSRLOG01";         ///< FILE.h5.part.log
inline constexpr std::string_view kStateMark = "TSRSTA01";       ///< the file of reduce --state
inline constexpr std::string_view kProgramMark = "TSRPRG02";     ///< a compiled program of a device

/// The marks of earlier versions. `.part.rows` had no mark.
inline constexpr std::string_view kOldGroupsMark = "TSGROUPS";
inline constexpr std::string_view kOldNoteTitle =
    "tessera: what the file beside this one was made of\noutput\t";

/// Whether a file that begins with the bytes `front` is of this kind, in any version of its layout.
constexpr bool has_mark(std::string_view front, std::string_view mark) {
  constexpr std::size_t kKindBytes = 6;
  if (front.size() < kMarkBytes) return false;
  if (mark == kGroupsMark && front.starts_with(kOldGroupsMark)) return true;
  if (mark == kNoteMark && front.starts_with(kOldNoteTitle)) return true;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return front.substr(0, kKindBytes) == mark.substr(0, kKindBytes) && is_digit(front[6]) &&
         is_digit(front[7]);
}

}  // namespace tessera::base
