#include "output/atomic_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "base/error.hpp"

namespace limber::output {

std::string temporary_name(const std::string& path) { return path + ".tmp"; }

std::string write_failure(const std::string& path, int error) {
  return "cannot write " + path + ": " + std::strerror(error);
}

int write_all(int descriptor, std::string_view bytes, long long offset) noexcept {
  while (!bytes.empty()) {
    const ssize_t n = offset < 0 ? ::write(descriptor, bytes.data(), bytes.size())
                                 : ::pwrite(descriptor, bytes.data(), bytes.size(), offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : ENOSPC;
    bytes.remove_prefix(static_cast<std::size_t>(n));
    if (offset >= 0) offset += n;
  }
  return 0;
}

void write_file(const std::string& path, std::string_view bytes) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) throw base::IoError(write_failure(path, errno));
  int error = write_all(descriptor, bytes);
  if (error == 0 && ::fsync(descriptor) != 0) error = errno;
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (error != 0) {
    remove_file(path);
    throw base::IoError(write_failure(path, error));
  }
}

void rename_file(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) throw base::IoError(write_failure(to, errno));
}

void write_file_atomically(const std::string& path, std::string_view bytes) {
  const std::string temporary = temporary_name(path);
  write_file(temporary, bytes);
  try {
    rename_file(temporary, path);
  } catch (...) {
    remove_file(temporary);
    throw;
  }
}

void remove_file(const std::string& path) noexcept { ::unlink(path.c_str()); }

void sync_directory(const std::string& path) noexcept {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

} // namespace limber::output
