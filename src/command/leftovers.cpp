#include "command/leftovers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "base/file/file_lock.hpp"
#include "base/file/lock_file.hpp"
#include "base/file/posix_file.hpp"
#include "base/file/record_file.hpp"
#include "base/file/text_kind.hpp"
#include "base/file/unfinished_folder.hpp"
#include "base/text.hpp"
#include "reduce/done_note.hpp"
#include "render/orbit_cache.hpp"
#include "store/arrays/array_writer.hpp"
#include "store/image/formats.hpp"
#include "store/image/parts.hpp"
#include "store/image/pyramid_file.hpp"
#include "store/png/png_file.hpp"
#include "store/reduce_checkpoint.hpp"

namespace tessera::command {
namespace {

/// Describes the contents of a leftover file; nothing if the file is something else.
using Contents = std::optional<std::string>;

/// Files that no lock protects are written in less time.
constexpr std::chrono::minutes kWriting{1};

std::string without(const std::string& path, std::string_view suffix) {
  return path.ends_with(suffix) ? path.substr(0, path.size() - suffix.size()) : path;
}

std::string name_of(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::optional<store::ReduceCheckpoint> read_checkpoint(const std::string& path) {
  const std::string text = base::contents_of(path);
  return store::decode_reduce_checkpoint(std::as_bytes(std::span(text)));
}

/// As a run names it that was not told another one.
bool has_name_of_checkpoint(const std::string& path) {
  const std::string name = name_of(path);
  return name.ends_with(".part.checkpoint") ||
         (name.starts_with("tessera-reduce-") && name.ends_with(".checkpoint"));
}

Contents describe_checkpoint(const std::string& path) {
  if (base::front_of(path, 1).empty() || !store::begins_as_checkpoint(path)) return std::nullopt;
  const auto found = read_checkpoint(path);
  // If it is damaged, only its name says that it is no text about such files.
  if (!found && !has_name_of_checkpoint(path)) return std::nullopt;
  if (!found) return "damaged checkpoint of a reduction";
  std::string job = found->job;
  std::ranges::replace(job, '\n', ' ');
  return fmt::format("checkpoint of a reduction, {} of {} done: {}", found->count_finished(),
                     base::count_of(std::ssize(found->finished), "part"), base::trim(job));
}

Contents describe_image_part(const std::string& path) {
  try {
    const auto reader = store::open_image(path);
    const std::string status = reader->attribute("status");
    if (status == "complete") return std::nullopt;
    std::int64_t all = 0;
    std::int64_t stored = 0;
    reader->for_each_tile([&](const store::TileRow& row) {
      ++all;
      stored += row.rank >= 0 ? 1 : 0;
    });
    const std::string tiles = fmt::format("{} of {}", stored, base::count_of(all, "tile"));
    // A share gets no more: it waits for the others.
    if (status != "unfinished") return fmt::format("complete {} for merge, {}", status, tiles);
    return fmt::format("unfinished render, {} done", tiles);
  } catch (const base::Error&) {
    if (const auto tiles = store::logged_tiles(path)) {
      return fmt::format("unfinished render, {} done", base::count_of(*tiles, "tile"));
    }
    return std::nullopt;
  }
}

Contents describe_text(const std::string& path) {
  if (store::is_picture_of_tessera(path)) return "unfinished picture";
  for (const base::TextKind& kind : base::kTextKinds) {
    if (base::is_of_kind(path, kind)) return fmt::format("unfinished {}", kind.name);
  }
  return std::nullopt;
}

/// Whether a checkpoint in the folder is of a run that writes this file beside others.
bool has_checkpoint_nearby(const std::string& path) {
  const std::string line = " " + std::filesystem::absolute(path).lexically_normal().string() + "\n";
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(base::folder_of(path), error)) {
    if (!entry.path().string().ends_with(".part.checkpoint")) continue;
    const auto found = read_checkpoint(entry.path().string());
    if (found && found->job.find(line) != std::string::npos) return true;
  }
  return false;
}

Contents describe_part(const std::string& path) {
  if (Contents image = describe_image_part(path)) return image;
  const std::string part = without(path, ".new");
  if (describe_checkpoint(part + ".checkpoint") || has_checkpoint_nearby(without(part, ".part"))) {
    return "unfinished array of tessera reduce";
  }
  if (Contents text = describe_text(path)) return text;
  if (base::is_marked_unfinished(path)) return "unfinished file";
  return std::nullopt;
}

Contents describe_rows(const std::string& path) {
  if (!base::has_sound_head(path, base::kRowsMark)) return std::nullopt;
  return fmt::format("rows of {}", name_of(without(path, ".part.rows")));
}

Contents describe_groups(const std::string& path) {
  if (!base::has_sound_head(path, base::kGroupsMark)) return std::nullopt;
  return fmt::format("groups of {}", name_of(without(without(path, ".groups"), ".part")));
}

Contents describe_log(const std::string& path) {
  const auto tiles = store::logged_tiles(without(path, ".log"));
  if (!tiles) return std::nullopt;
  return fmt::format("log of {}, {}", name_of(without(path, ".log")),
                     base::count_of(*tiles, "tile"));
}

Contents describe_orbit(const std::string& path) {
  const auto iterations = render::orbit_iterations(path);
  if (!iterations) return std::nullopt;
  return fmt::format("reference orbit of {}, {}", name_of(without(path, ".orbit")),
                     base::count_of(*iterations, "iteration"));
}

Contents describe_scales(const std::string& path) {
  const auto pyramid = store::describe_pyramid(path);
  if (!pyramid) return std::nullopt;
  return "smaller scales for tessera serve, " + *pyramid;
}

Contents describe_note(const std::string& path) {
  if (!reduce::is_done_note(path)) return std::nullopt;
  return fmt::format("note on how {} was made", name_of(without(path, ".done")));
}

Contents describe_lock(const std::string& path) {
  const auto holder = base::lock_holder(path);
  if (!holder) return std::nullopt;
  return fmt::format("lock of {} by {}", name_of(without(path, ".lock")), holder->name);
}

struct Kind {
  std::string_view suffix;
  Contents (*describe)(const std::string& path);
};

constexpr std::array kKinds = {
    Kind{".part", describe_part},
    Kind{".part.new", describe_part},
    Kind{".log", describe_log},
    Kind{".done", describe_note},
    Kind{".orbit", describe_orbit},
    Kind{".lock", describe_lock},
    Kind{".part.rows", describe_rows},
    Kind{".pyramid", describe_scales},
    Kind{".groups", describe_groups},
    Kind{"", describe_checkpoint},  // under any name that --checkpoint-file gave
};

/// The files whose locks protect `path`.
std::vector<std::string> locked_files(const std::string& path) {
  std::string main = path;
  for (const std::string_view suffix :
       {".lock", ".log", ".new", ".rows", ".groups", ".checkpoint"}) {
    main = without(main, suffix);
  }
  for (const std::string_view suffix : {".done", ".orbit"}) {
    if (path.ends_with(suffix)) main = base::part_path(without(path, suffix));
  }
  std::vector<std::string> files;
  for (const std::string& file : {path, main, main + ".log", main + ".checkpoint"}) {
    if (base::exists(file) && std::ranges::find(files, file) == files.end()) files.push_back(file);
  }
  return files;
}

bool is_being_written(const std::string& path) {
  std::error_code error;
  const auto changed = std::filesystem::last_write_time(path, error);
  const bool lockable = describe_text(path) == std::nullopt;
  return !lockable && std::filesystem::file_time_type::clock::now() - changed < kWriting;
}

bool is_in_use(const std::string& path) {
  if (const auto holder = base::lock_holder(path)) return holder->may_run;
  return is_being_written(path) || std::ranges::any_of(locked_files(path), base::may_be_locked);
}

/// The folder that the file is the lock of, if a run has left it; "" if there is none.
std::string folder_of_lock(const std::string& path) {
  const std::string folder = path + ".d";
  if (!path.ends_with(".part")) return "";
  const bool is_ours = base::is_left_over_folder(folder) || store::is_folder_of_zarr(folder);
  return is_ours ? folder : "";
}

bool remove_parts(const std::string& folder) {
  try {
    store::remove_parts(folder);
    return !base::exists(folder);
  } catch (const base::Error&) {
    return false;  // a run has just begun
  }
}

std::uintmax_t bytes_of(const std::string& path) {
  std::error_code error;
  std::uintmax_t bytes = std::filesystem::file_size(path, error);
  const std::string folder = folder_of_lock(path);
  if (folder.empty()) return bytes;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, error)) {
    if (entry.is_regular_file(error)) bytes += entry.file_size(error);
  }
  return bytes;
}

/// The parts of an image that is not finished.
std::optional<Leftover> look_at_folder(const std::string& path) {
  const std::optional<store::PartsFacts> facts = store::read_parts_facts(path);
  bool has_unfinished = false;
  for (int number = 0; facts && number < facts->parts; ++number) {
    has_unfinished |= base::exists(base::part_path(store::part_file(path, number)));
  }
  // Parts that have ended may belong to a file of any name.
  if (!has_unfinished) return std::nullopt;
  const auto what = describe_image_part(path);
  return Leftover{path, store::bytes_of_parts(path), what.value_or("unfinished render"),
                  store::parts_may_be_locked(path)};
}

std::optional<Leftover> look_at(const std::string& path) {
  for (const Kind& kind : kKinds) {
    if (!path.ends_with(kind.suffix)) continue;
    const Contents what = kind.describe(path);
    if (!what) continue;
    return Leftover{path, bytes_of(path), *what, is_in_use(path)};
  }
  return std::nullopt;
}

}  // namespace

std::vector<Leftover> find_leftovers(const std::string& folder) {
  std::vector<Leftover> found;
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  if (error) throw base::missing_error("{}: cannot list this folder: {}", folder, error.message());
  for (const auto& entry : entries) {
    if (entry.is_symlink(error)) continue;
    const std::string path = folder == "." ? name_of(entry.path()) : entry.path().string();
    std::optional<Leftover> leftover;
    if (entry.is_directory(error)) leftover = look_at_folder(path);
    if (entry.is_regular_file(error)) leftover = look_at(path);
    if (leftover) found.push_back(std::move(*leftover));
  }
  std::ranges::sort(found, {}, &Leftover::path);
  return found;
}

bool remove_leftover(const Leftover& leftover) {
  // Removing the file that it belongs to may have removed the lock.
  if (!base::exists(leftover.path)) return true;
  if (store::read_parts_facts(leftover.path)) return remove_parts(leftover.path);
  if (base::lock_holder(leftover.path)) return base::remove_dead_lock(leftover.path);
  if (is_being_written(leftover.path)) return false;
  try {
    std::vector<std::unique_ptr<base::FileLock>> locks;  // so that no run begins meanwhile
    for (const std::string& file : locked_files(leftover.path)) {
      locks.push_back(std::make_unique<base::FileLock>(file));
    }
    std::error_code error;
    if (const std::string folder = folder_of_lock(leftover.path); !folder.empty()) {
      std::filesystem::remove_all(folder, error);
    }
    base::remove_file(leftover.path);
    return !error && !base::exists(leftover.path);
  } catch (const base::Error&) {
    return false;
  }
}

}  // namespace tessera::command
