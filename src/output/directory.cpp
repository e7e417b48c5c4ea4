#include "output/directory.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <spdlog/fmt/fmt.h>
#include <string_view>
#include <sys/file.h>
#include <unistd.h>

#include "base/collective.hpp"
#include "base/error.hpp"
#include "output/atomic_file.hpp"

namespace limber::output {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void refuse(const std::string& message, const std::string& advice) {
  throw base::UserError(message, {.file = {}, .line = 0, .key = "output.directory", .advice = advice});
}

void create(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_directory(path, error))
    refuse(path.string() + " exists and is not a folder", "Choose another folder with --output.");
  fs::create_directories(path, error);
  if (error)
    refuse("cannot create the folder " + path.string() + ": " + error.message(),
           "Choose a folder that you may write to with --output.");
  if (::access(path.c_str(), W_OK | X_OK) != 0)
    refuse("cannot write to the folder " + path.string() + ": " + std::strerror(errno),
           "Choose a folder that you may write to with --output.");
}

void remove_one(const fs::path& path) {
  std::error_code error;
  fs::remove(path, error);
  if (error)
    refuse("cannot remove " + path.string() + " of an earlier run: " + error.message(),
           "Remove it by hand or choose another folder with --output.");
}

template <class Predicate> void remove_matching(const fs::path& directory, Predicate matches) {
  std::error_code error;
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(directory, error))
    if (matches(entry.path().filename().string())) found.push_back(entry.path());
  for (const fs::path& path : found) remove_one(path);
}

void clear(const fs::path& directory, const std::string& name) {
  for (const std::string& file : {name + ".pvd", std::string("statistics.csv"), std::string("conditions.csv"),
                                  std::string("probes.csv"), std::string("log.txt"), std::string("resolved.yaml")}) {
    remove_one(directory / file);
    remove_one(temporary_name((directory / file).string()));
  }
  remove_matching(directory / "frames", [&](const std::string& file) { return frame_index(file, name).has_value(); });
  remove_matching(directory / "checkpoints",
                  [](const std::string& file) { return parse_checkpoint_name(file).has_value(); });
}

/// Takes `prefix` off the front of `text`.
bool take(std::string_view& text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// Takes a number of at least `digits` digits off the front of `text`.
std::optional<std::int64_t> take_number(std::string_view& text, std::size_t digits) {
  std::int64_t number = 0;
  if (text.empty() || text.front() == '-') return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto length = static_cast<std::size_t>(end - text.data());
  if (error != std::errc{} || length < digits) return std::nullopt;
  text.remove_prefix(length);
  return number;
}

} // namespace

void prepare_output_directory(MPI_Comm comm, const std::string& directory, const std::string& name,
                              DirectoryMode mode) {
  base::all_or_throw(comm, [&] {
    if (base::rank(comm) != 0) return;
    const fs::path path(directory);
    create(path);
    std::error_code error;
    if (mode == DirectoryMode::fresh && !fs::is_empty(path, error))
      refuse(
          "the output folder " + directory + " is not empty",
          "Use --overwrite to replace the results in it, --restart to continue them, or --output for another folder.");
    if (mode == DirectoryMode::overwrite) clear(path, name);
    create(path / "frames");
    create(path / "checkpoints");
  });
}

DirectoryLock::DirectoryLock(MPI_Comm comm, const std::string& directory) {
  base::all_or_throw(comm, [&] {
    if (base::rank(comm) != 0) return;
    create(directory);
    descriptor_ = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
      refuse("another run is writing to " + directory, "Wait for it, or choose another folder with --output.");
  });
}

DirectoryLock::~DirectoryLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::string frame_path(const std::string& directory, const std::string& name, std::int64_t index) {
  return fmt::format("{}/frames/{}_{:06}.pvtu", directory, name, index);
}

std::string piece_name(const std::string& name, std::int64_t index, int piece) {
  return fmt::format("{}_{:06}_p{:04}.vtu", name, index, piece);
}

std::optional<std::int64_t> frame_index(const std::string& file, const std::string& name) {
  std::string_view text = file;
  if (!take(text, name) || !take(text, "_")) return std::nullopt;
  const auto index = take_number(text, 6);
  if (!index) return std::nullopt;
  if (take(text, "_p")) {
    if (!take_number(text, 4) || !take(text, ".vtu")) return std::nullopt;
  } else if (!take(text, ".pvtu")) {
    return std::nullopt;
  }
  return text.empty() || text == ".tmp" ? index : std::nullopt;
}

std::string checkpoint_path(const std::string& directory, std::int64_t step) {
  return fmt::format("{}/checkpoints/checkpoint_{:06}.h5", directory, step);
}

std::optional<CheckpointName> parse_checkpoint_name(const std::string& file) {
  std::string_view text = file;
  if (!take(text, "checkpoint_")) return std::nullopt;
  const auto step = take_number(text, 6);
  if (!step || !take(text, ".h5")) return std::nullopt;
  if (!text.empty() && text != ".tmp") return std::nullopt;
  return CheckpointName{*step, !text.empty()};
}

} // namespace limber::output
