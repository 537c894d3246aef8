// Moves the calendar clock of a program. To be loaded into the program with LD_PRELOAD.
//
// The file SWIFTPLAY_CLOCK_FILE contains the difference to the real clock in seconds, in 8 bytes, and may change at any
// time. The clocks that count from the start of the machine stay as they are.
//
// libfaketime cannot be used: it changes the environment before the program starts, and Swift then finds no arguments
// of the program.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *difference;

__attribute__((constructor)) static void open_clock(void) {
    const char *path = getenv("SWIFTPLAY_CLOCK_FILE");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    difference = mmap(0, sizeof *difference, PROT_READ, MAP_SHARED, file, 0);
    if (difference == MAP_FAILED) abort();
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = syscall(SYS_clock_gettime, clock, time);
    if (difference && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += *difference;
    return result;
}

int gettimeofday(struct timeval *time, void *zone) {
    int result = syscall(SYS_gettimeofday, time, zone);
    if (difference) time->tv_sec += *difference;
    return result;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
