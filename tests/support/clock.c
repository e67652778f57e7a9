/* A movable wall clock for one process tree, preloaded into redis-server, workerd or node.
 *
 * Purpose: tests put a server at a chosen instant, and move it while it runs: gettimeofday(), time() and
 * clock_gettime() of CLOCK_REALTIME and CLOCK_REALTIME_COARSE answer the true time plus an offset.
 *
 * Build:  cc -shared -fPIC -O2 -o target/edgeboard-clock.so tests/support/clock.c
 * Use:    LD_PRELOAD=target/edgeboard-clock.so (absolute path)  EDGEBOARD_CLOCK_FILE=<file>
 * File:   8 bytes, the offset in nanoseconds, signed, little endian, at position 0. It is mapped when the process
 *         starts and read at every call: writing those 8 bytes (one write) moves the clock of every process
 *         that maps it at once. Without the variable, or when the file is missing or shorter, the offset is 0.
 *         8 more bytes may follow: the nanoseconds since 1970 at which the clock stands still, 0 while it goes on.
 *         It may be deleted, but not shortened, while a process runs.
 *
 * Out of scope: monotonic clocks and timers tell the true time, so timeouts and polls inside the server keep
 * their length whatever the offset. 64-bit Linux with a dynamically linked program only.
 *
 * The true time comes from libc, which asks the kernel's page of shared code: a system call would take ten times as
 * long, and redis-server asks at every command. Until libc's function is found it comes from the system call. Finding it
 * may allocate, and jemalloc asks for the time while it starts: that recursion is where libfaketime deadlocks in
 * redis-server.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <endian.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(time_t) == 8 && sizeof(long) == 8, "the clock shim needs a 64-bit system");

#define NANOS_PER_SECOND 1000000000LL

/* The mapped offset; NULL until the constructor has run, and for good when there is no file. */
static const int64_t *offset_le;

/* Where it stands still, behind it; NULL where the file is shorter. */
static const int64_t *stop_le;

/* libc's; NULL until the constructor has run. */
static int (*true_clock_gettime)(clockid_t, struct timespec *);

__attribute__((constructor)) static void find_clock(void)
{
    true_clock_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
}

__attribute__((constructor)) static void map_offset(void)
{
    const char *path = getenv("EDGEBOARD_CLOCK_FILE");
    if (path == NULL)
        return;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    struct stat file;
    if (fstat(fd, &file) == 0 && file.st_size >= (off_t)sizeof *offset_le) {
        void *map = mmap(NULL, 2 * sizeof *offset_le, PROT_READ, MAP_SHARED, fd, 0);
        if (map != MAP_FAILED) {
            offset_le = map;
            if (file.st_size >= (off_t)(2 * sizeof *offset_le))
                stop_le = offset_le + 1;
        }
    }
    close(fd);
}

static int64_t read_le(const int64_t *number)
{
    return number ? (int64_t)le64toh((uint64_t)__atomic_load_n(number, __ATOMIC_RELAXED)) : 0;
}

static void move(struct timespec *ts)
{
    int64_t offset = read_le(offset_le), stop = read_le(stop_le);
    if (stop != 0) {
        ts->tv_sec = stop / NANOS_PER_SECOND;
        ts->tv_nsec = stop % NANOS_PER_SECOND;
        return;
    }
    ts->tv_sec += offset / NANOS_PER_SECOND;
    ts->tv_nsec += offset % NANOS_PER_SECOND;
    if (ts->tv_nsec < 0) {
        ts->tv_nsec += NANOS_PER_SECOND;
        ts->tv_sec -= 1;
    } else if (ts->tv_nsec >= NANOS_PER_SECOND) {
        ts->tv_nsec -= NANOS_PER_SECOND;
        ts->tv_sec += 1;
    }
}

int clock_gettime(clockid_t clock, struct timespec *ts)
{
    int failed = true_clock_gettime ? true_clock_gettime(clock, ts) : (int)syscall(SYS_clock_gettime, clock, ts);
    if (failed == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        move(ts);
    return failed;
}

int gettimeofday(struct timeval *restrict tv, void *restrict zone)
{
    struct timespec ts;
    if (zone != NULL)
        *(struct timezone *)zone = (struct timezone){0};
    if (clock_gettime(CLOCK_REALTIME, &ts) != 0)
        return -1;
    tv->tv_sec = ts.tv_sec;
    tv->tv_usec = ts.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *out)
{
    struct timespec ts;
    if (clock_gettime(CLOCK_REALTIME, &ts) != 0)
        return (time_t)-1;
    if (out != NULL)
        *out = ts.tv_sec;
    return ts.tv_sec;
}
