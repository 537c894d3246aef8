// Measures how long the program's own locks are held. To be loaded into a program with LD_PRELOAD.
//
// On exit, the library appends a line for each thread name to the file LOCKS_FILE: the name, how often its threads took
// a lock, the longest time in nanoseconds that a lock was held, and the addresses in the program of the two innermost
// calls that took it. Locks that libraries take are not measured. Times are processor time of the thread, so that
// pauses of the thread do not count.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { DEPTH = 16, NAMES = 128 };

struct held { pthread_mutex_t *mutex; uintptr_t caller, outer; long long begin; };
struct record { char name[16]; atomic_long count; atomic_long longest; atomic_ulong caller, outer; };

// The initial-exec TLS model does not allocate on access.
static __thread struct held locks[DEPTH] __attribute__((tls_model("initial-exec")));
static __thread int depth __attribute__((tls_model("initial-exec")));

static struct record records[NAMES];
static atomic_flag isAdding = ATOMIC_FLAG_INIT;
static uintptr_t base, first, last; // the program's load address, and the range of its code

static int (*real_lock)(pthread_mutex_t *), (*real_unlock)(pthread_mutex_t *);
static int (*real_wait)(pthread_cond_t *, pthread_mutex_t *);
static int (*real_timedwait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);

static long long processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// Returns the record of the calling thread's name; null if there are too many names.
static struct record *own_record(void) {
    char name[16] = "";
    prctl(PR_GET_NAME, name);
    for (int attempt = 0; attempt < 2; attempt++) {
        for (int i = 0; i < NAMES && records[i].name[0]; i++)
            if (!strncmp(records[i].name, name, sizeof name)) return &records[i];
        if (attempt) return NULL;
        while (atomic_flag_test_and_set(&isAdding)) {}
        int i = 0;
        while (i < NAMES && records[i].name[0] && strncmp(records[i].name, name, sizeof name)) i++;
        if (i < NAMES) memcpy(records[i].name, name, sizeof name);
        atomic_flag_clear(&isAdding);
    }
    return NULL;
}

static void begin(pthread_mutex_t *mutex, uintptr_t caller, uintptr_t outer) {
    if (depth < DEPTH) locks[depth] = (struct held){mutex, caller, outer, processor_time()};
    depth++;
}

// Records the time since the lock was taken. Returns the code that took the lock; zeros for a lock of a library.
static struct held end(pthread_mutex_t *mutex) {
    for (int i = depth < DEPTH ? depth - 1 : DEPTH - 1; i >= 0; i--) {
        if (locks[i].mutex != mutex) continue;
        struct held held = locks[i];
        long duration = processor_time() - held.begin;
        memmove(&locks[i], &locks[i + 1], (DEPTH - 1 - i) * sizeof locks[0]);
        depth--;
        struct record *record = own_record();
        if (record) {
            atomic_fetch_add(&record->count, 1);
            long longest = atomic_load(&record->longest);
            while (duration > longest) {
                if (!atomic_compare_exchange_weak(&record->longest, &longest, duration)) continue;
                record->caller = held.caller - base;
                record->outer = held.outer >= first && held.outer < last ? held.outer - base : 0;
                break;
            }
        }
        return held;
    }
    return (struct held){0};
}

static int find_program(struct dl_phdr_info *info, size_t size, void *unused) {
    base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
        first = base + header->p_vaddr;
        last = first + header->p_memsz;
    }
    return 1; // the program is the first entry
}

static void find_functions(void) {
    real_unlock = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
    real_wait = dlvsym(RTLD_NEXT, "pthread_cond_wait", "GLIBC_2.3.2");
    real_timedwait = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
    dl_iterate_phdr(find_program, NULL);
    real_lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    if (!real_lock) find_functions();
    int result = real_lock(mutex);
    uintptr_t caller = (uintptr_t)__builtin_return_address(0);
    if (!result && caller >= first && caller < last) {
        // The program is compiled with frame pointers.
        uintptr_t *frame = __builtin_frame_address(0);
        begin(mutex, caller, ((uintptr_t *)frame[0])[1]);
    }
    return result;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    if (!real_lock) find_functions();
    if (depth) end(mutex);
    return real_unlock(mutex);
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    struct held held = depth ? end(mutex) : (struct held){0};
    int result = real_wait(condition, mutex);
    if (held.caller) begin(mutex, held.caller, held.outer);
    return result;
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *time) {
    struct held held = depth ? end(mutex) : (struct held){0};
    int result = real_timedwait(condition, mutex, time);
    if (held.caller) begin(mutex, held.caller, held.outer);
    return result;
}

__attribute__((destructor)) static void finish(void) {
    const char *path = getenv("LOCKS_FILE");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (file < 0) return;
    for (int i = 0; i < NAMES && records[i].name[0]; i++) {
        char text[128];
        int length = snprintf(
            text, sizeof text, "%s\t%ld\t%ld\t%lx\t%lx\n", records[i].name, (long)records[i].count,
            (long)records[i].longest, (unsigned long)records[i].caller, (unsigned long)records[i].outer);
        if (write(file, text, length) != length) break;
    }
    close(file);
}
