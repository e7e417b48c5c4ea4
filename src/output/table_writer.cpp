#include "output/table_writer.hpp"

#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

#include "base/collective.hpp"
#include "base/error.hpp"
#include "output/atomic_file.hpp"

namespace limber::output {
namespace {

/// Header and rows up to `last_step` of an existing file; a last line without its line end (the run was killed while
/// writing) is dropped.
std::string rows_up_to(const std::string& path, const std::string& expected_header, std::int64_t last_step) {
  std::string kept = expected_header + '\n';
  std::ifstream file(path, std::ios::binary);
  if (!file) return kept;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  bool header = true;
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string line = text.substr(begin, end - begin);
    if (header && line != expected_header)
      throw base::UserError("its columns are not those of this run",
                            {.file = path,
                             .line = 1,
                             .key = {},
                             .advice = "Move the file away to continue with a new one, or restart in another folder "
                                       "with --output."});
    std::int64_t step = 0;
    const auto parsed = std::from_chars(line.data(), line.data() + line.size(), step);
    if (!header && parsed.ec == std::errc{} && step <= last_step) kept += line + '\n';
    header = false;
  }
  return kept;
}

} // namespace

TableWriter::TableWriter(MPI_Comm comm, std::string path, std::string header, std::optional<std::int64_t> restart_step)
    : comm_(comm), path_(std::move(path)) {
  base::all_or_throw(comm_, [&] {
    if (base::rank(comm_) != 0) return;
    write_file_atomically(path_, restart_step ? rows_up_to(path_, header, *restart_step) : header + '\n');
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (descriptor_ < 0) throw base::IoError(write_failure(path_, errno));
  });
}

TableWriter::~TableWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void TableWriter::append(const std::string& row) {
  base::all_or_throw(comm_, [&] {
    if (descriptor_ < 0) return;
    struct stat before = {};
    if (::fstat(descriptor_, &before) != 0) throw base::IoError(write_failure(path_, errno));
    if (const int error = write_all(descriptor_, row + '\n')) {
      // Half a row would be glued to the next one.
      if (::ftruncate(descriptor_, before.st_size) != 0) throw base::IoError(write_failure(path_, errno));
      throw base::IoError(write_failure(path_, error));
    }
  });
}

} // namespace limber::output
