// Measures how long the program's own locks are held. To be loaded into a program with LD_PRELOAD.
//
// On exit, the library writes a file into the folder LOCKS_FOLDER, whose name is the program's name and process ID. The
// file has a line for each place that takes locks created at one place, and for each name and nice value of a thread:
// the name, the nice value, the addresses in the program of the three innermost calls that created the lock and of
// those that took it (0 for calls outside the program), how often a lock was taken, the longest time in nanoseconds
// that it was held, and 80 numbers: how often the time was below 100, 125, 150, 175, 200, 250, ... ns, four steps for
// each factor of 2.
//
// Times are processor time of the thread, so that pauses of the thread do not count. A wait for a condition, which
// unlocks, ends the time and begins another one. Locks that libraries take are not measured. The program must be
// compiled with frame pointers.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { DEPTH = 16, PLACES = 8192, MUTEXES = 1 << 16, STEPS = 80, SHORTEST = 100 };

// The innermost calls in the program that created or took a lock, the innermost one first.
struct calls { uintptr_t addresses[3]; };
struct held { pthread_mutex_t *mutex; struct calls calls; long long begin; };
struct key {
    struct calls creation, taking;
    char name[16];
    long nice;
};
struct place {
    struct key key;
    atomic_bool isUsed; // written after `key`
    atomic_long count, longest, times[STEPS];
};
// The place that created the lock at an address. A new lock at the address replaces it.
struct mutex {
    _Atomic(pthread_mutex_t *) address;
    struct calls creation;
};

// The initial-exec TLS model does not allocate on access.
static __thread struct held locks[DEPTH] __attribute__((tls_model("initial-exec")));
static __thread int depth __attribute__((tls_model("initial-exec")));

static struct place places[PLACES];
static struct mutex mutexes[MUTEXES];
static atomic_flag isAdding = ATOMIC_FLAG_INIT;
static uintptr_t base, first, last; // the program's load address, and the range of its code

static int (*real_init)(pthread_mutex_t *, const pthread_mutexattr_t *);
static int (*real_lock)(pthread_mutex_t *), (*real_trylock)(pthread_mutex_t *), (*real_unlock)(pthread_mutex_t *);
static int (*real_wait)(pthread_cond_t *, pthread_mutex_t *);
static int (*real_timedwait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);

static long long processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// Returns the record of a lock; if there is none, a new one if `adds` is true, otherwise null.
static struct mutex *find_mutex(pthread_mutex_t *address, int adds) {
    size_t start = ((uintptr_t)address >> 4) * 0x9E3779B97F4A7C15ULL >> 48;
    for (size_t i = 0; i < MUTEXES; i++) {
        struct mutex *mutex = &mutexes[(start + i) % MUTEXES];
        pthread_mutex_t *found = NULL;
        if (!mutex->address && (!adds || atomic_compare_exchange_strong(&mutex->address, &found, address)))
            return adds ? mutex : NULL;
        if (mutex->address == address) return mutex;
    }
    return NULL;
}

// Returns the record of a lock that the calling thread holds; null if there are too many records.
static struct place *find_place(const struct held *held) {
    struct key key;
    memset(&key, 0, sizeof key);
    struct mutex *mutex = find_mutex(held->mutex, 0);
    if (mutex) key.creation = mutex->creation;
    key.taking = held->calls;
    key.nice = getpriority(PRIO_PROCESS, 0);
    prctl(PR_GET_NAME, key.name);
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof key; i++) hash = (hash ^ ((unsigned char *)&key)[i]) * 0x100000001B3ULL;
    for (int i = 0; i < PLACES; i++) {
        struct place *place = &places[(hash + i) % PLACES];
        if (!place->isUsed) {
            while (atomic_flag_test_and_set(&isAdding)) {}
            if (!place->isUsed) {
                place->key = key;
                place->isUsed = 1;
            }
            atomic_flag_clear(&isAdding);
        }
        if (!memcmp(&place->key, &key, sizeof key)) return place;
    }
    return NULL;
}

// Returns the step of a time: the number of limits that the time reaches.
static int step_of(long time) {
    int step = 0;
    for (long limit = SHORTEST; step < STEPS; limit *= 2)
        for (int quarter = 0; quarter < 4 && step < STEPS; quarter++, step++)
            if (time < limit + limit * quarter / 4) return step;
    return STEPS - 1;
}

static void begin(pthread_mutex_t *mutex, struct calls calls) {
    if (depth < DEPTH) locks[depth] = (struct held){mutex, calls, processor_time()};
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
        struct place *place = find_place(&held);
        if (place) {
            atomic_fetch_add(&place->count, 1);
            atomic_fetch_add(&place->times[step_of(duration)], 1);
            long longest = place->longest;
            while (duration > longest && !atomic_compare_exchange_weak(&place->longest, &longest, duration)) {}
        }
        return held;
    }
    return (struct held){0};
}

static int find_program(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size, (void)unused;
    base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
        first = base + header->p_vaddr;
        last = first + header->p_memsz;
    }
    return 1; // The program is the first entry.
}

static void find_functions(void) {
    real_init = dlsym(RTLD_NEXT, "pthread_mutex_init");
    real_unlock = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
    real_trylock = dlsym(RTLD_NEXT, "pthread_mutex_trylock");
    real_wait = dlvsym(RTLD_NEXT, "pthread_cond_wait", "GLIBC_2.3.2");
    real_timedwait = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
    dl_iterate_phdr(find_program, NULL);
    real_lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
}

// Returns the innermost calls up to the first one in a library. `frame` is the frame of the innermost function.
static struct calls calls_at(uintptr_t caller, uintptr_t *frame) {
    struct calls calls = {{0, 0, 0}};
    for (int i = 0; i < 3 && caller >= first && caller < last; i++) {
        calls.addresses[i] = caller;
        frame = (uintptr_t *)frame[0];
        caller = frame[1];
    }
    return calls;
}

#define CALLS calls_at((uintptr_t)__builtin_return_address(0), __builtin_frame_address(0))

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
    if (!real_lock) find_functions();
    struct calls calls = CALLS;
    struct mutex *record = calls.addresses[0] ? find_mutex(mutex, 1) : NULL;
    if (record) record->creation = calls;
    return real_init(mutex, attributes);
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    if (!real_lock) find_functions();
    int result = real_lock(mutex);
    struct calls calls = CALLS;
    if (!result && calls.addresses[0]) begin(mutex, calls);
    return result;
}

int pthread_mutex_trylock(pthread_mutex_t *mutex) {
    if (!real_lock) find_functions();
    int result = real_trylock(mutex);
    struct calls calls = CALLS;
    if (!result && calls.addresses[0]) begin(mutex, calls);
    return result;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    if (!real_lock) find_functions();
    if (depth) end(mutex);
    return real_unlock(mutex);
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    if (!real_lock) find_functions();
    struct held held = depth ? end(mutex) : (struct held){0};
    int result = real_wait(condition, mutex);
    if (held.calls.addresses[0]) begin(mutex, held.calls);
    return result;
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *time) {
    if (!real_lock) find_functions();
    struct held held = depth ? end(mutex) : (struct held){0};
    int result = real_timedwait(condition, mutex, time);
    if (held.calls.addresses[0]) begin(mutex, held.calls);
    return result;
}

__attribute__((destructor)) static void finish(void) {
    const char *folder = getenv("LOCKS_FOLDER");
    char path[4096];
    if (!folder) return;
    snprintf(path, sizeof path, "%s/%s-%d", folder, program_invocation_short_name, (int)getpid());
    FILE *file = fopen(path, "we");
    if (!file) return;
    for (int i = 0; i < PLACES; i++) {
        struct place *place = &places[i];
        if (!place->isUsed) continue;
        fprintf(file, "%.16s\t%ld", place->key.name, place->key.nice);
        for (int call = 0; call < 6; call++) {
            uintptr_t address = ((uintptr_t *)&place->key)[call];
            fprintf(file, "\t%lx", (unsigned long)(address ? address - base : 0));
        }
        fprintf(file, "\t%ld\t%ld", (long)place->count, (long)place->longest);
        for (int step = 0; step < STEPS; step++) fprintf(file, "\t%ld", (long)place->times[step]);
        fputc('\n', file);
    }
    fclose(file);
}
