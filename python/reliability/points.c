/* Sends this process a signal at a counted point: LD_PRELOAD. A point lies before and after each call that changes a
 * file, so that a kill at each of them meets every state that a process can leave on a disk.
 *
 * The system calls that a library makes without libc, such as an exchange of two folders, lie between two points.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long passed;
static long chosen = -1;
static int chosen_signal;

/* Counts from here on; no signal comes at a negative point. */
void points_begin(long point, int signal) {
    chosen = point;
    chosen_signal = signal;
    atomic_store(&passed, 0);
}

long points_passed(void) { return atomic_load(&passed); }

/* A program that this one starts has points of its own. */
__attribute__((constructor)) static void begin(void) {
    const char *point = getenv("POINTS_AT"), *signal = getenv("POINTS_SIGNAL");
    if (point && signal) points_begin(atol(point), atoi(signal));
    unsetenv("POINTS_AT");
    unsetenv("LD_PRELOAD");
}

static void pass(void) {
    if (atomic_fetch_add(&passed, 1) == chosen) kill(getpid(), chosen_signal);
}

/* What goes to a terminal, a pipe or a socket changes no file. */
static int is_file(int number) {
    struct stat found;
    return fstat(number, &found) == 0 && S_ISREG(found.st_mode);
}

#define CHANGE(type, name, parameters, arguments, counts)                 \
    type name parameters {                                                \
        static type(*real) parameters;                                    \
        if (!real) real = (type(*) parameters)dlsym(RTLD_NEXT, #name);    \
        const int counted = counts;                                       \
        if (counted) pass();                                              \
        const type result = real arguments;                               \
        if (counted) pass();                                              \
        return result;                                                    \
    }

CHANGE(ssize_t, write, (int file, const void *bytes, size_t length), (file, bytes, length), is_file(file))
CHANGE(ssize_t, writev, (int file, const struct iovec *parts, int count), (file, parts, count), is_file(file))
CHANGE(ssize_t, sendfile, (int to, int from, off_t *at, size_t length), (to, from, at, length), is_file(to))
CHANGE(ssize_t, copy_file_range, (int from, off_t *at, int to, off_t *to_at, size_t length, unsigned flags),
       (from, at, to, to_at, length, flags), 1)
CHANGE(int, fsync, (int file), (file), 1)
CHANGE(int, mkdir, (const char *path, mode_t mode), (path, mode), 1)
CHANGE(int, rename, (const char *from, const char *to), (from, to), 1)
CHANGE(int, rmdir, (const char *path), (path), 1)
CHANGE(int, unlink, (const char *path), (path), 1)
CHANGE(int, unlinkat, (int folder, const char *path, int flags), (folder, path, flags), 1)
