#include "io/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <new>
#include <system_error>

namespace halfbyte {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

std::unexpected<Error> cannot(const char* what, const std::string& path, int error) {
  const ErrorCode code = error == ENOENT || error == ENOTDIR ? ErrorCode::not_found : ErrorCode::io;
  return fail(code, std::format("cannot {} {}: {}", what, path.empty() ? "\"\"" : path, reason(error)));
}

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  ~File() { close(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }
  // 0 or errno: a full disk may show only here.
  int close() {
    const int fd = fd_;
    fd_ = -1;
    return fd < 0 || ::close(fd) == 0 ? 0 : errno;
  }

 private:
  int fd_;
};

// Appends what the file still has. 0 or errno.
int read_rest(int fd, std::vector<std::byte>& into) {
  constexpr size_t kChunk = 1 << 20;
  for (;;) {
    const size_t have = into.size();
    into.resize(have + kChunk);
    const ssize_t got = ::read(fd, into.data() + have, kChunk);
    into.resize(have + static_cast<size_t>(got > 0 ? got : 0));
    if (got == 0) return 0;
    if (got < 0 && errno != EINTR) return errno;
  }
}

int write_all(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd, bytes.data(), bytes.size());
    if (done < 0 && errno != EINTR) return errno;
    if (done > 0) bytes = bytes.subspan(static_cast<size_t>(done));
  }
  return 0;
}

// Where a write to `path` must land: symbolic links are followed, so that a link stays a link.
std::string target_of(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  return real ? std::string(real.get()) : path;
}

}  // namespace

Result<std::vector<std::byte>> read_bytes(const std::string& path) {
  File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.fd() < 0) return cannot("read", path, errno);
  struct stat info{};
  if (::fstat(file.fd(), &info) != 0) return cannot("read", path, errno);
  if (S_ISDIR(info.st_mode)) return cannot("read", path, EISDIR);
  std::vector<std::byte> bytes;
  try {
    if (S_ISREG(info.st_mode)) bytes.reserve(static_cast<size_t>(info.st_size) + (1 << 20));
    if (const int error = read_rest(file.fd(), bytes); error != 0) return cannot("read", path, error);
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::out_of_memory,
                std::format("cannot read {}: its {} bytes do not fit memory", path, info.st_size));
  }
  return bytes;
}

Result<std::string> read_text(const std::string& path) {
  HB_TRY(const auto bytes, read_bytes(path));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Result<void> write_file(const std::string& path, std::span<const std::byte> bytes) {
  const std::string target = target_of(path);
  struct stat info{};
  const bool exists = ::stat(target.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) return cannot("write", path, EISDIR);
  if (exists && !S_ISREG(info.st_mode)) {  // a device or a pipe (/dev/stdout) cannot be replaced by a rename
    File file(::open(target.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.fd() < 0) return cannot("write", path, errno);
    if (const int error = write_all(file.fd(), bytes); error != 0) return cannot("write", path, error);
    return {};
  }
  // Renaming would replace even a file that its owner has made read-only.
  if (exists && ::access(target.c_str(), W_OK) != 0) return cannot("write", path, errno);
  static std::atomic<unsigned> serial{0};
  const std::string beside = std::format("{}.{}-{}.part", target, ::getpid(), serial++);
  File file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.fd() < 0) return cannot("write", path, errno);
  int error = write_all(file.fd(), bytes);
  if (error == 0 && exists && ::fchmod(file.fd(), info.st_mode & 07777) != 0) error = errno;
  if (const int closed = file.close(); error == 0) error = closed;
  if (error == 0 && ::rename(beside.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(beside.c_str());
  return cannot("write", path, error);
}

Result<void> write_file(const std::string& path, std::string_view text) {
  return write_file(path, std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace halfbyte
