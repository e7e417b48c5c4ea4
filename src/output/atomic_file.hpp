#pragma once
/// Files that are either complete or absent. None of this communicates.

#include <string>
#include <string_view>

namespace limber::output {

/// The name under which a file is written before it is renamed to `path`.
std::string temporary_name(const std::string& path);

/// Creates or replaces `path` and flushes it to the disk, where a full one shows at the latest. On failure the
/// file is removed and IoError says which file and why.
void write_file(const std::string& path, std::string_view bytes);

/// write_file() to the temporary name, then rename. Throws IoError; an older file at `path` then remains.
void write_file_atomically(const std::string& path, std::string_view bytes);

/// Throws IoError.
void rename_file(const std::string& from, const std::string& to);

/// Removes a file where it exists; no error otherwise.
void remove_file(const std::string& path) noexcept;

/// Makes renames in a folder durable, where the file system can.
void sync_directory(const std::string& path) noexcept;

/// Writes all bytes at the descriptor's position, or from `offset` on if it is not negative.
/// Returns 0 or the errno of the failure.
int write_all(int descriptor, std::string_view bytes, long long offset = -1) noexcept;

/// "cannot write PATH: reason", from an errno.
std::string write_failure(const std::string& path, int error);

} // namespace limber::output
