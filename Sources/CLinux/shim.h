// System functions that Swift's Glibc module lacks. Each comment states why a wrapper is needed.
#ifndef SWIFTPLAY_CLINUX_SHIM_H
#define SWIFTPLAY_CLINUX_SHIM_H
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

// memfd_create requires _GNU_SOURCE, which the Glibc module does not define.
static inline int clinux_memfd_create(const char *name, unsigned flags) {
    return (int)syscall(SYS_memfd_create, name, flags);
}
// The constants of memfd_create and of fcntl's seals are macros that require _GNU_SOURCE.
static inline unsigned clinux_mfd_flags(void) { return 0x0001u | 0x0002u; } // MFD_CLOEXEC | MFD_ALLOW_SEALING
#define CLINUX_F_ADD_SEALS 1033
#define CLINUX_F_GET_SEALS 1034
#define CLINUX_F_SEAL_SEAL 0x0001
#define CLINUX_F_SEAL_SHRINK 0x0002
#define CLINUX_F_SEAL_GROW 0x0004
// Swift cannot call fcntl, which is variadic.
static inline int clinux_add_seals(int fd, int seals) { return fcntl(fd, CLINUX_F_ADD_SEALS, seals); }
static inline int clinux_get_seals(int fd) { return fcntl(fd, CLINUX_F_GET_SEALS); }
static inline int clinux_set_nonblocking(int fd, int on) {
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0) return -1;
    return fcntl(fd, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
}
// pipe2 requires _GNU_SOURCE, which the Glibc module does not define.
static inline int clinux_pipe_cloexec(int *ends) { return (int)syscall(SYS_pipe2, ends, O_CLOEXEC); }
// Several C modules include <sys/socket.h>. In a module that imports more than one of them, Swift does not find the
// names of socket types and flags in every file.
static const int clinux_stream_socket_type = SOCK_STREAM;
static inline int clinux_nonblocking_stream_socket(int family) {
    return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}
static inline int clinux_stream_socketpair(int *ends) {
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
}
// Never waits; async-signal-safe.
static inline ssize_t clinux_send_now(int fd, const void *bytes, size_t count) {
    return send(fd, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
}
// The constant is a macro with a type that differs between C libraries.
static inline int clinux_set_send_buffer(int fd, int bytes) {
    return setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}
static inline int clinux_dup_cloexec(int fd) { return fcntl(fd, F_DUPFD_CLOEXEC, 0); }
// Takes or releases a lock of the open file description (F_OFD_SETLK). Never waits; async-signal-safe. The constant
// requires _GNU_SOURCE, and fcntl is variadic.
static inline int clinux_lock(int fd, int on) {
    struct flock lock = { .l_type = (short)(on ? F_WRLCK : F_UNLCK), .l_whence = SEEK_SET };
    return fcntl(fd, 37 /* F_OFD_SETLK */, &lock);
}
// Reserves disk space without a change of the file's size. fallocate and its flags require _GNU_SOURCE, which the Glibc
// module does not define.
static inline int clinux_reserve_space(int fd, int64_t offset, int64_t length) {
    return (int)syscall(SYS_fallocate, fd, 0x01 /* KEEP_SIZE */, offset, length);
}
// Starts writing a whole file to the disk. sync_file_range and its flags require _GNU_SOURCE.
static inline int clinux_start_writeback(int fd) {
    return (int)syscall(SYS_sync_file_range, fd, (int64_t)0, (int64_t)0, 0x02 /* SYNC_FILE_RANGE_WRITE */);
}
// Marks the packets of a TCP socket as lower effort (DSCP LE, RFC 8622), which networks may delay. The constants are
// macros with types that differ between C libraries.
static inline void clinux_set_low_effort(int fd) {
    int class = 0x01 << 2;
    setsockopt(fd, 0 /* IPPROTO_IP */, 1 /* IP_TOS */, &class, sizeof class);
    setsockopt(fd, 41 /* IPPROTO_IPV6 */, 67 /* IPV6_TCLASS */, &class, sizeof class);
}
// Swift does not import the union of struct epoll_event reliably.
static inline int clinux_epoll_set(int epoll, int fd, unsigned events, int is_known) {
    struct epoll_event event = { .events = events, .data.fd = fd };
    return epoll_ctl(epoll, is_known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event);
}
static inline int clinux_epoll_remove(int epoll, int fd) {
    struct epoll_event unused = { 0 };
    return epoll_ctl(epoll, EPOLL_CTL_DEL, fd, &unused);
}
// Stores the descriptors and the events of up to 16 ready descriptors, and returns their number.
#define CLINUX_EPOLL_BATCH 16
static inline int clinux_epoll_wait(int epoll, int *fds, unsigned *events, int timeout_ms) {
    struct epoll_event ready[CLINUX_EPOLL_BATCH];
    int count = epoll_wait(epoll, ready, CLINUX_EPOLL_BATCH, timeout_ms);
    for (int i = 0; i < count; i++) { fds[i] = ready[i].data.fd; events[i] = ready[i].events; }
    return count;
}
// accept4 requires _GNU_SOURCE, which the Glibc module does not define.
static inline int clinux_accept_cloexec(int fd) {
    return (int)syscall(SYS_accept4, fd, (void *)0, (void *)0, SOCK_CLOEXEC);
}
// Swift cannot call open, which is variadic.
static inline int clinux_open(const char *path, int flags, unsigned mode) { return open(path, flags, mode); }
static inline int clinux_openat(int folder, const char *path, int flags) { return openat(folder, path, flags); }
static inline int clinux_create_at(int folder, const char *path, int flags, unsigned mode) {
    return openat(folder, path, flags | O_CREAT, mode);
}
// renameat2 requires _GNU_SOURCE, which the Glibc module does not define.
static inline int clinux_rename_without_replacing(int folder, const char *path, const char *newPath) {
    return (int)syscall(SYS_renameat2, folder, path, folder, newPath, 1 /* RENAME_NOREPLACE */);
}
// Swift cannot call ioctl, which is variadic.
static inline int clinux_window_size(int fd, struct winsize *size) { return ioctl(fd, TIOCGWINSZ, size); }
// Swift's Glibc module does not include sys/pidfd.h.
static inline int clinux_pidfd_open(int pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }
static inline int clinux_pidfd_send_signal(int pidfd, int number) {
    return (int)syscall(SYS_pidfd_send_signal, pidfd, number, (void *)0, 0);
}
// Frees the memory of a process that was killed, before the process itself has ended (Linux 5.15).
static inline int clinux_process_mrelease(int pidfd) { return (int)syscall(448 /* process_mrelease */, pidfd, 0); }
// Returns a pidfd of the process that connected a socket (SO_PEERPIDFD, Linux 6.5), or -1. Debian 12's headers lack the
// constant.
static inline int clinux_peer_pidfd(int fd) {
    int pidfd = -1;
    socklen_t n = sizeof pidfd;
    return getsockopt(fd, SOL_SOCKET, 77 /* SO_PEERPIDFD */, &pidfd, &n) < 0 ? -1 : pidfd;
}
// Swift's Glibc module does not include sys/timerfd.h.
static inline int clinux_boot_timer(void) { return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK); }
// A time of 0 stops the timer.
static inline int clinux_set_boot_timer(int fd, int64_t time_ns) {
    struct itimerspec t = { .it_value = { .tv_sec = time_ns / 1000000000, .tv_nsec = time_ns % 1000000000 } };
    return timerfd_settime(fd, TFD_TIMER_ABSTIME, &t, (struct itimerspec *)0);
}
// A timer that never expires, and becomes readable when the calendar clock is set (read then fails with ECANCELED).
static inline int clinux_clock_watch(void) {
    struct itimerspec never = { .it_value = { .tv_sec = INT64_MAX / 1000000000 } };
    int fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    if (fd < 0 || !timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, (struct itimerspec *)0))
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}
// Continues in a child process, and ends this one without running its exit handlers. Swift marks fork as unavailable.
// Call it before other threads start.
static inline int clinux_detach(void) {
    int process = fork();
    if (process > 0) _exit(0);
    return process;
}
// ppoll requires _GNU_SOURCE, which the Glibc module does not define. The milliseconds of poll are too coarse for frame
// pacing.
static inline int clinux_ppoll(struct pollfd *fds, unsigned long count, int64_t timeout_ns) {
    struct timespec t = { .tv_sec = timeout_ns / 1000000000, .tv_nsec = timeout_ns % 1000000000 };
    extern int ppoll(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
    return ppoll(fds, count, timeout_ns < 0 ? (struct timespec *)0 : &t, (const sigset_t *)0);
}
// Returns the kernel's ID of the calling thread; gettid requires _GNU_SOURCE, which the Glibc module does not define.
static inline int clinux_thread_id(void) { return (int)syscall(SYS_gettid); }
// pthread_setname_np requires _GNU_SOURCE, which the Glibc module does not define.
static inline void clinux_set_thread_name(const char *name) {
    extern int pthread_setname_np(pthread_t, const char *);
    pthread_setname_np(pthread_self(), name);
}
// SO_PEERCRED's struct ucred requires _GNU_SOURCE, which the Glibc module does not define.
static inline int clinux_peer_credentials(int fd, int *pid, unsigned *uid) {
    struct { int pid; unsigned uid; unsigned gid; } c;
    socklen_t n = sizeof c;
    if (getsockopt(fd, SOL_SOCKET, 17 /* SO_PEERCRED */, &c, &n) < 0) return -1;
    *pid = c.pid; *uid = c.uid;
    return 0;
}
// posix_spawn_file_actions_addclosefrom_np requires _GNU_SOURCE, which the Glibc module does not define.
static inline int clinux_close_from(posix_spawn_file_actions_t *actions, int first) {
    extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}
// Reads an eventfd without waiting; returns 0 if the eventfd is not readable. preadv2 requires _GNU_SOURCE.
static inline uint64_t clinux_read_event(int fd) {
    extern ssize_t preadv2(int, const struct iovec *, int, off_t, int);
    uint64_t value = 0;
    struct iovec iov = { &value, sizeof value };
    return preadv2(fd, &iov, 1, -1, 0x8 /* RWF_NOWAIT */) == sizeof value ? value : 0;
}
// Swift 6 does not permit the variable stdout. Returns the number of the error or 0. The number of an earlier error is
// not known: it is EPIPE if the reader of a pipe has gone, and otherwise -1.
static inline int clinux_flush_standard_output(void) {
    struct pollfd output = { STDOUT_FILENO, POLLOUT, 0 };
    int has_failed = ferror(stdout);
    if (fflush(stdout) != 0) return errno;
    if (!has_failed) return 0;
    return poll(&output, 1, 0) == 1 && output.revents & POLLERR ? EPIPE : -1;
}
// Swift's Glibc module does not include malloc.h.
static inline void clinux_limit_malloc_arenas(int count) { mallopt(M_ARENA_MAX, count); }
static inline void clinux_set_malloc_mmap_threshold(int bytes) { mallopt(M_MMAP_THRESHOLD, bytes); }
static inline void clinux_trim_heap(void) { malloc_trim(0); }
// The CMSG_* macros, which compute addresses of control messages, are not imported into Swift.
#define CLINUX_MAX_FDS 8
static inline ssize_t clinux_send_with_fds(
    int sock, const void *bytes, size_t count, const int *fds, size_t nfds, int flags) {
    struct iovec iov = { (void *)bytes, count };
    union { struct cmsghdr align; char bytes[CMSG_SPACE(sizeof(int) * CLINUX_MAX_FDS)]; } control;
    struct msghdr m;
    memset(&m, 0, sizeof m);
    m.msg_iov = &iov; m.msg_iovlen = 1;
    if (nfds > CLINUX_MAX_FDS) { errno = EINVAL; return -1; }
    if (nfds) {
        memset(&control, 0, sizeof control);
        m.msg_control = control.bytes; m.msg_controllen = CMSG_SPACE(sizeof(int) * nfds);
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET; c->cmsg_type = SCM_RIGHTS; c->cmsg_len = CMSG_LEN(sizeof(int) * nfds);
        memcpy(CMSG_DATA(c), fds, sizeof(int) * nfds);
    }
    return sendmsg(sock, &m, flags | MSG_NOSIGNAL);
}
// Returns the number of received bytes, or -1. Sets *nfds to the number of received descriptors, and *truncated to 1 if
// bytes or descriptors did not fit.
static inline ssize_t clinux_receive_with_fds(
    int sock, void *bytes, size_t count, int *fds, size_t *nfds, int *truncated, int flags) {
    struct iovec iov = { bytes, count };
    union { struct cmsghdr align; char bytes[CMSG_SPACE(sizeof(int) * CLINUX_MAX_FDS)]; } control;
    struct msghdr m;
    memset(&m, 0, sizeof m);
    m.msg_iov = &iov; m.msg_iovlen = 1; m.msg_control = control.bytes; m.msg_controllen = sizeof control.bytes;
    *nfds = 0; *truncated = 0;
    ssize_t n = recvmsg(sock, &m, flags | MSG_CMSG_CLOEXEC);
    if (n < 0) return n;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
        size_t k = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        const unsigned char *data = CMSG_DATA(c);
        for (size_t i = 0; i < k; i++) {
            int fd; memcpy(&fd, data + i * sizeof(int), sizeof fd);
            if (*nfds < CLINUX_MAX_FDS) fds[(*nfds)++] = fd; else close(fd);
        }
    }
    if (m.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) *truncated = 1;
    return n;
}
#endif
