/*
 * What a machine does to a process: a disk that refuses to write or to sync, a clock that is moved, and a log of what was written and
 * synced, from which the disk's state after a power loss can be made. Loaded by LD_PRELOAD, told by shared memory what to do, see machine.ts.
 *
 * Calls counted as synced on return: fsync, fdatasync, and writes to a file opened with O_DSYNC or O_SYNC.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* As machine.ts writes it. */
struct control {
  volatile int64_t clock_s;     /* added to the time of day */
  volatile int32_t write_errno; /* of each write to the watched file; 0: it succeeds */
  volatile int32_t sync_errno;  /* of each fsync and fdatasync of it, and of writes that are synced */
};

/* An entry of the log; `length` bytes follow. */
struct entry {
  uint16_t kind; /* 0: write, 1: write and sync, 2: sync */
  uint16_t file; /* which of the watched files */
  uint32_t length;
  int64_t offset;
};

static struct control calm;
static struct control *control = &calm;
/* Paths of the watched files, joined by colons. */
static const char *watched;
static int log_fd = -1;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void start(void) {
  const char *page = getenv("SVC_MACHINE_CONTROL");
  const char *log = getenv("SVC_MACHINE_LOG");
  watched = getenv("SVC_MACHINE_FILE");
  if (page != NULL) {
    int fd = open(page, O_RDWR | O_CLOEXEC);
    void *map = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(struct control), PROT_READ, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED) abort();
    control = map;
    close(fd);
  }
  if (log != NULL) log_fd = open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

/* Which of the watched files it is; -1: none. */
static int watched_file(int fd) {
  char link[32], path[4096];
  if (watched == NULL) return -1;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return -1;
  const char *one = watched;
  for (int file = 0; *one != 0; file++) {
    size_t size = strcspn(one, ":");
    if (size == (size_t)length && memcmp(one, path, size) == 0) return file;
    one += size + (one[size] == ':');
  }
  return -1;
}

static void note(uint16_t kind, int file, int64_t offset, const struct iovec *parts, int count, size_t length) {
  if (log_fd < 0) return;
  struct entry entry = {kind, (uint16_t)file, (uint32_t)length, offset};
  struct iovec all[1 + 1024];
  int used = 1;
  all[0] = (struct iovec){&entry, sizeof entry};
  for (int i = 0; i < count && length > 0; i++) {
    size_t part = parts[i].iov_len < length ? parts[i].iov_len : length;
    all[used++] = (struct iovec){parts[i].iov_base, part};
    length -= part;
  }
  pthread_mutex_lock(&log_lock);
  /* Past our own wrapper. */
  if (syscall(SYS_writev, log_fd, all, used) < 0) abort();
  pthread_mutex_unlock(&log_lock);
}

/* The one way of writing: `offset` -1 for where the file stands, or where it ends if it is opened to append. */
static ssize_t write_at(int fd, const struct iovec *parts, int count, int64_t offset) {
  int file = watched_file(fd);
  if (file < 0) return offset < 0 ? syscall(SYS_writev, fd, parts, count) : syscall(SYS_pwritev, fd, parts, count, offset, 0);
  int flags = fcntl(fd, F_GETFL);
  int synced = (flags & (O_DSYNC | O_SYNC)) != 0;
  int failure = control->write_errno != 0 ? control->write_errno : synced ? control->sync_errno : 0;
  if (failure != 0) {
    errno = failure;
    return -1;
  }
  int64_t from = (flags & O_APPEND) ? lseek(fd, 0, SEEK_END) : offset < 0 ? lseek(fd, 0, SEEK_CUR) : offset;
  ssize_t length = syscall(SYS_pwritev, fd, parts, count, from, 0);
  if (length < 0) return length;
  if (offset < 0) lseek(fd, from + length, SEEK_SET);
  note((uint16_t)synced, file, from, parts, count, (size_t)length);
  return length;
}

ssize_t write(int fd, const void *data, size_t length) { return write_at(fd, &(struct iovec){(void *)data, length}, 1, -1); }
ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) { return write_at(fd, &(struct iovec){(void *)data, length}, 1, offset); }
ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset) { return pwrite(fd, data, length, offset); }
ssize_t writev(int fd, const struct iovec *parts, int count) { return write_at(fd, parts, count, -1); }
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) { return write_at(fd, parts, count, offset); }
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) { return write_at(fd, parts, count, offset); }

static int sync_by(long call, int fd) {
  int file = watched_file(fd);
  if (file >= 0 && control->sync_errno != 0) {
    errno = control->sync_errno;
    return -1;
  }
  int result = (int)syscall(call, fd);
  if (file >= 0 && result == 0) note(2, file, 0, NULL, 0, 0);
  return result;
}

int fsync(int fd) { return sync_by(SYS_fsync, fd); }
int fdatasync(int fd) { return sync_by(SYS_fdatasync, fd); }

int clock_gettime(clockid_t id, struct timespec *at) {
  static int (*real)(clockid_t, struct timespec *);
  if (real == NULL) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(id, at);
  if (result == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) at->tv_sec += control->clock_s;
  return result;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  static int (*real)(struct timeval *, void *);
  if (real == NULL) real = (int (*)(struct timeval *, void *))dlsym(RTLD_NEXT, "gettimeofday");
  int result = real(at, zone);
  if (result == 0) at->tv_sec += control->clock_s;
  return result;
}
