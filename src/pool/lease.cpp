#include "pool/lease.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <random>
#include <utility>

#include "base/error.hpp"
#include "base/file/posix_file.hpp"

namespace tessera::pool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kReleased = "released ";
constexpr std::string_view kDone = ".done";
constexpr double kBeatsPerLease = 6;

std::string file_of(const std::string& folder, const std::string& item, int generation) {
  return fmt::format("{}/{}.{}", folder, item, generation);
}

std::string done_file(const std::string& folder, const std::string& item) {
  return fmt::format("{}/{}{}", folder, item, kDone);
}

/// A name that no other process of any machine has.
std::string own_name(const std::string& folder) {
  std::random_device random;
  return fmt::format("{}/.new.{}.{:08x}{:08x}", folder, ::getpid(), random(), random());
}

/// 0 if it is none.
int generation_of(std::string_view text) {
  int generation = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), generation);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() ? generation : 0;
}

/// A text of one length, so that a beat needs no room on a full disk.
std::string held_text(std::int64_t beats) {
  return fmt::format("{:<20} {:<200.200}\n", beats, base::this_process());
}

std::string holder_of(const std::string& content) {
  const std::size_t space = content.find(' ');
  if (space == std::string::npos) return "";
  std::string holder = content.substr(space);
  const auto first = holder.find_first_not_of(' ');
  const auto last = holder.find_last_not_of(" \n");
  return first == std::string::npos ? "" : holder.substr(first, last - first + 1);
}

}  // namespace

bool create_once(const std::string& path, const std::string& contents) {
  const std::string own = own_name(base::folder_of(path));
  {
    base::PosixFile file(own);
    file.write(std::as_bytes(std::span(contents)));
    file.sync();
    file.close();
  }
  const int linked = ::link(own.c_str(), path.c_str());
  const int error = errno;
  // On NFS a link that was made may be reported as one that was there.
  struct stat status {};
  const bool made = linked == 0 || (::stat(own.c_str(), &status) == 0 && status.st_nlink == 2);
  base::remove_file(own);
  if (!made && error != EEXIST) throw base::file_error(path, "be created", error);
  return made;
}

LeaseFolder::LeaseFolder(std::string folder, double lease_s)
    : folder_(std::move(folder)), lease_s_(lease_s) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw base::file_error(folder_, "be created", error.value());
  list();
}

void LeaseFolder::list() {
  std::error_code gone;
  for (const auto& file : fs::directory_iterator(folder_, gone)) {
    const std::string name = file.path().filename().string();
    const std::size_t dot = name.rfind('.');
    if (dot == 0 || dot == std::string::npos) continue;
    const std::string item = name.substr(0, dot);
    if (name.ends_with(kDone)) {
      ended_.insert(item);
    } else {
      last_[item] = std::max(last_[item], generation_of(name.substr(dot + 1)));
    }
  }
}

ItemState LeaseFolder::look(const std::string& item) {
  if (const auto known = done_.find(item); known != done_.end()) return known->second;
  if (ended_.contains(item)) {
    const std::string done = base::contents_of(done_file(folder_, item));
    const int generation = generation_of(done.substr(0, done.find(' ')));
    // NFS may list a file before it shows it.
    if (generation > 0) {
      return done_[item] = {ItemState::Kind::done, generation, holder_of(done)};
    }
  }
  ItemState state{.generation = last_generation(item)};
  if (state.generation == 0) return state;
  const std::string content = base::contents_of(file_of(folder_, item, state.generation));
  if (content.starts_with(kReleased)) return state;
  state.kind = ItemState::Kind::held;
  state.holder = holder_of(content);
  const std::string whole = fmt::format("{} {}", state.generation, content);
  Seen& seen = seen_[item];
  if (seen.content != whole) seen = {whole, base::Clock::now()};
  return state;
}

int LeaseFolder::last_generation(const std::string& item) const {
  const auto last = last_.find(item);
  return last == last_.end() ? 0 : last->second;
}

bool LeaseFolder::expired(const std::string& item, const ItemState& state) {
  if (state.kind != ItemState::Kind::held) return false;
  const auto found = seen_.find(item);
  return found != seen_.end() &&
         base::Clock::now() - found->second.since > std::chrono::duration<double>(lease_s_);
}

std::optional<int> LeaseFolder::take(const std::string& item, const ItemState& state) {
  const int generation = state.generation + 1;
  if (!create_once(file_of(folder_, item, generation), held_text(0))) return std::nullopt;
  return generation;
}

Lease::Lease(std::string folder, std::string item, int generation, double lease_s,
             std::function<void()> lost)
    : folder_(std::move(folder)),
      item_(std::move(item)),
      path_(file_of(folder_, item_, generation)),
      generation_(generation),
      lease_s_(lease_s),
      on_lost_(std::move(lost)),
      thread_([this] { keep(); }) {}

Lease::~Lease() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
  if (done_ || lost_) return;
  const int file = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  [[maybe_unused]] const auto written = ::pwrite(file, kReleased.data(), kReleased.size(), 0);
  ::close(file);
}

void Lease::finish() {
  done_ = true;
  create_once(done_file(folder_, item_), fmt::format("{} {}\n", generation_, base::this_process()));
}

/// Opens, writes and closes, so that NFS shows others the change.
void Lease::beat() {
  const std::string text = held_text(++beats_);
  const int file = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (file >= 0) {
    [[maybe_unused]] const auto written = ::pwrite(file, text.data(), text.size(), 0);
    ::close(file);
  }
  if (is_lost() && !told_.exchange(true)) on_lost_();
}

bool Lease::is_lost() {
  if (base::exists(file_of(folder_, item_, generation_ + 1))) lost_ = true;
  return lost_;
}

void Lease::keep() {
  const std::chrono::duration<double> interval(lease_s_ / kBeatsPerLease);
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, interval, [this] { return ends_; })) {
    lock.unlock();
    beat();
    lock.lock();
  }
}

}  // namespace tessera::pool
