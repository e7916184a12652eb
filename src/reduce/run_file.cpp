#include "reduce/run_file.hpp"

#include "base/error.hpp"

namespace tessera::reduce {

void RunFile::check(const base::IsOurs& is_ours) {
  base::check_left_over(path_, [&](const std::string& path) {
    return base::has_sound_head(path, mark_) || (is_ours && is_ours(path));
  });
  checked_ = true;
}

void RunFile::open() {
  auto file = std::make_unique<base::PosixFile>(path_, base::PosixFile::Start::as_it_is, mode_);
  lock_ = std::make_unique<base::FileLock>(path_);
  file_ = std::move(file);  // it is ours, to be removed
}

void RunFile::remove() noexcept {
  try {
    if (!file_ && base::has_sound_head(path_, mark_)) open();
    if (file_) base::remove_file(path_);
  } catch (const base::Error&) {
    return;  // another run writes it
  }
}

bool RunFile::resume(const RunFilePlace& place) {
  if (place.bytes == 0) return true;
  if (!base::exists(path_)) return false;
  open();
  const base::InputFile file(path_);
  const base::RecordReader stored(file, mark_);
  const bool is_ours = stored.head() && stored.head()->number == place.number;
  if (!is_ours || !stored.is_sound_up_to(place.bytes)) return false;
  records_.emplace(*file_, *stored.head(), place.bytes);
  return true;
}

void RunFile::write(statistics::GroupKey last, std::span<const std::byte> records) {
  if (!records_) {
    if (!checked_) check();
    if (!file_) open();
    records_.emplace(*file_, mark_, std::span<const std::byte>());
  }
  records_->append(last, records);
}

void RunFile::sync() const {
  if (file_) file_->sync();
}

RunFilePlace RunFile::place() const {
  return records_ ? RunFilePlace{records_->end_byte(), records_->number()} : RunFilePlace{};
}

RunFileView::RunFileView(const std::string& path, std::string_view mark)
    : file_(path), records_(file_, mark) {
  if (!records_.head()) throw damaged(0);
}

base::Error RunFileView::damaged(std::uint64_t at_byte) const {
  return base::run_error("{}: is damaged at byte {}; the same command starts again without it",
                         file_.path(), at_byte);
}

std::optional<base::Bytes> RunReader::next(statistics::GroupKey first) {
  while (run_.first_byte < run_.end_byte) {
    const auto record = file_->records().at(run_.first_byte);
    if (!record || record->end_byte() > run_.end_byte) throw file_->damaged(run_.first_byte);
    run_.first_byte = record->end_byte();
    if (record->tag < first) continue;
    auto block = file_->records().read(*record);
    if (!block) throw file_->damaged(record->first_byte);
    return block;
  }
  return std::nullopt;
}

}  // namespace tessera::reduce
