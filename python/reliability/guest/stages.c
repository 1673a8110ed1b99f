/* Kills a program before a counted call that makes or removes something of the kernel's: LD_PRELOAD. Each such call is
 * a line of the file STAGES, with its name; before call number STAGES_KILL there is SIGKILL.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long passed;
static long chosen = -1;
static int names = -1;

__attribute__((constructor)) static void begin(void) {
    const char *file = getenv("STAGES"), *at = getenv("STAGES_KILL");
    if (file) names = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (at) chosen = atol(at);
    unsetenv("LD_PRELOAD");
}

static void pass(const char *name) {
    if (names >= 0 && (write(names, name, strlen(name)) < 0 || write(names, "\n", 1) < 0)) abort();
    if (atomic_fetch_add(&passed, 1) == chosen) kill(getpid(), SIGKILL);
}

static const char *of_bpf(long command) {
    switch (command) {
        case BPF_MAP_CREATE: return "BPF map";
        case BPF_PROG_LOAD: return "BPF program";
        case BPF_BTF_LOAD: return "BPF types";
        case BPF_LINK_CREATE: return "BPF link";
        case BPF_OBJ_PIN: return "pin";
        default: return NULL;
    }
}

#define REAL(type, name, parameters) \
    static type(*real) parameters;   \
    if (!real) real = (type(*) parameters)dlsym(RTLD_NEXT, #name)

/* libbpf has no other way into the kernel. */
long syscall(long number, ...) {
    REAL(long, syscall, (long, ...));
    va_list given;
    long a[6];
    va_start(given, number);
    for (int at = 0; at < 6; at++) a[at] = va_arg(given, long);
    va_end(given);
    const char *name = number == SYS_bpf ? of_bpf(a[0]) : NULL;
    if (name) pass(name);
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

#define SET_DEVICE 0x400454ca /* TUNSETIFF */

int ioctl(int file, unsigned long request, ...) {
    REAL(int, ioctl, (int, unsigned long, ...));
    va_list given;
    va_start(given, request);
    void *argument = va_arg(given, void *);
    va_end(given);
    if (request == SET_DEVICE) pass("device");
    return real(file, request, argument);
}

/* Netlink's sockets connect, too. */
int connect(int socket, const struct sockaddr *to, socklen_t length) {
    REAL(int, connect, (int, const struct sockaddr *, socklen_t));
    if (to->sa_family == AF_INET) pass("connection");
    return real(socket, to, length);
}

#define STAGE(type, name, parameters, arguments, said) \
    type name parameters {                             \
        REAL(type, name, parameters);                  \
        pass(said);                                    \
        return real arguments;                         \
    }

STAGE(int, unshare, (int flags), (flags), "namespace")
STAGE(int, mount, (const char *what, const char *at, const char *kind, unsigned long flags, const void *data),
      (what, at, kind, flags, data), "mount")
STAGE(int, mkdir, (const char *path, mode_t mode), (path, mode), "folder")
STAGE(int, rmdir, (const char *path), (path), "folder removed")
STAGE(int, unlinkat, (int folder, const char *path, int flags), (folder, path, flags), "pin removed")
STAGE(int, listen, (int socket, int most), (socket, most), "listener")
STAGE(ssize_t, send, (int socket, const void *bytes, size_t length, int flags), (socket, bytes, length, flags),
      "link, address or route")
STAGE(ssize_t, sendto,
      (int socket, const void *bytes, size_t length, int flags, const struct sockaddr *to, socklen_t to_length),
      (socket, bytes, length, flags, to, to_length), "link, address or route")
STAGE(int, mlockall, (int flags), (flags), "router")
STAGE(int, sched_setscheduler, (pid_t thread, int policy, const struct sched_param *with), (thread, policy, with),
      "router")
