#include "view/region.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/file/descriptor.hpp"
#include "base/file/posix_file.hpp"
#include "base/printable.hpp"
#include "base/quoted.hpp"
#include "post/color/recipe.hpp"

namespace tessera::view {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::pair<std::string, std::string>>;

/// Pictures that may wait for one that is being made.
// crossed by: refuses_a_picture_when_others_wait_and_all_at_the_end
constexpr std::size_t kMostOrders = 2;

/// A folder that ends with this object.
class ScratchFolder {
 public:
  ScratchFolder() : path_((fs::temp_directory_path() / "tessera-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) throw base::file_error(path_, "create", errno);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::shared_ptr<const LongBody> body_of(const std::string& path) {
  const auto file = std::make_shared<base::Descriptor>(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file->number() < 0) throw base::file_error(path, "open", errno);
  auto body = std::make_shared<LongBody>();
  body->bytes = fs::file_size(path);
  body->read = [file](std::uint64_t offset, std::size_t most) {
    std::string piece(most, '\0');
    const ssize_t got =
        ::pread(file->number(), piece.data(), piece.size(), static_cast<off_t>(offset));
    piece.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return piece;
  };
  return body;
}

Texts texts_of(const OpenImage& image, job::ColorJob& job, const std::string& png) {
  job.output = png;
  Texts texts = post::recipe_text(image.reader(), job, *job.region);
  if (texts.empty()) throw HttpError(400, "the file does not tell its place");
  return texts;
}

std::string toml_value(const std::string& option, const std::string& text) {
  const auto& options = job::render_options();
  const auto row = std::ranges::find(options, option, &job::Option<job::RenderJob>::name);
  const bool bare = row->kind == job::Kind::integer || row->kind == job::Kind::toggle;
  return bare ? text : base::json_quoted(text);
}

}  // namespace

job::ColorJob region_job(const Target& target, const OpenImage& image, const PaletteFiles& files) {
  const base::ImageSize size = image.grid().size_px;
  job::ColorJob job = look_of(target, files, image);
  const auto number = [&](const char* name, std::int64_t low, std::int64_t high) {
    return parse_number(target.parameter(name), name, low, high);
  };
  base::PixelRect region;
  region.x = number("x", 0, size.width - 1);
  region.y = number("y", 0, size.height - 1);
  region.width = number("width", 1, size.width - region.x);
  region.height = number("height", 1, size.height - region.y);
  job.region = region;
  job.input = image.path();
  try {
    const job::Given scale{"scale", std::string(target.parameter("scale")), "scale"};
    if (!scale.value.empty()) {
      job::apply_options<job::ColorJob>(job, job::color_options(), {&scale, 1});
    }
  } catch (const base::Error& error) {
    throw HttpError(400, base::printable(error.what()));
  }
  if (region.width < job.scale || region.height < job.scale) {
    throw HttpError(400, "scale: leaves nothing of the rectangle");
  }
  return job;
}

std::string region_command(const OpenImage& image, job::ColorJob job, const std::string& png) {
  return texts_of(image, job, png).back().second + "\n";
}

std::string region_toml(const OpenImage& image, job::ColorJob job, const std::string& png) {
  std::string toml;
  for (auto [key, text] : texts_of(image, job, png)) {
    key[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(key[0])));
    if (key != "command" && key != "view")
      toml += fmt::format("{} = {}\n", key, toml_value(key, text));
  }
  return toml + fmt::format("png = {}\n", base::json_quoted(png));
}

std::shared_ptr<const LongBody> RegionQueue::make(const job::ColorJob& job,
                                                  const std::string& name) {
  const ScratchFolder folder;
  const auto order = std::make_shared<Order>();
  order->job = job;
  order->job.output = folder.path() + "/" + name;
  order->job.quiet = true;
  order->job.keeps_input = false;
  std::unique_lock lock(mutex_);
  if (orders_.size() >= kMostOrders) throw HttpError(429, "other pictures are being made");
  orders_.push_back(order);
  ordered_.notify_one();
  made_.wait(lock, [&] { return order->done || closed_; });
  if (!order->done) throw HttpError(503, "the server ends");
  lock.unlock();
  if (order->failure) std::rethrow_exception(order->failure);
  return body_of(order->job.output);
}

void RegionQueue::serve(std::chrono::milliseconds wait, const Color& color) {
  std::unique_lock lock(mutex_);
  if (!ordered_.wait_for(lock, wait, [&] { return !orders_.empty(); })) return;
  const std::shared_ptr<Order> order = orders_.front();
  lock.unlock();
  try {
    color(order->job);
  } catch (...) {
    order->failure = std::current_exception();
  }
  lock.lock();
  orders_.pop_front();
  order->done = true;
  made_.notify_all();
}

void RegionQueue::close() {
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  made_.notify_all();
}

}  // namespace tessera::view
