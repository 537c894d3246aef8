// Counts the allocations of each thread. To be loaded into a program with LD_PRELOAD.
//
// The library keeps the counts in the file ALLOCATIONS_FILE, which other processes can read at any time. The file is a
// table of 64 records of 40 bytes, one for each thread name as in /proc: the name in 16 bytes, the allocations within
// the first second after the first allocation of a thread with this name, the later allocations, and the size of all
// allocations in bytes. Unused records have an empty name.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

enum { NAMES = 64 };

struct record { char name[16]; atomic_long early, late, bytes; };

static struct record *records; // null until the file is mapped, and if it cannot be
static atomic_flag isAdding = ATOMIC_FLAG_INIT;
// The initial-exec TLS model does not allocate on access, which would recurse into malloc.
static __thread long long begin __attribute__((tls_model("initial-exec")));

// Returns the record of a thread name; null if there are too many names.
static struct record *find_record(const char *name) {
    int i = 0;
    while (i < NAMES && records[i].name[0] && strncmp(records[i].name, name, 16)) i++;
    if (i < NAMES && records[i].name[0]) return &records[i];
    while (atomic_flag_test_and_set(&isAdding)) {}
    while (i < NAMES && records[i].name[0] && strncmp(records[i].name, name, 16)) i++;
    if (i < NAMES) memcpy(records[i].name, name, 16);
    atomic_flag_clear(&isAdding);
    return i < NAMES ? &records[i] : NULL;
}

// Counts an allocation of the calling thread.
static void count(size_t size) {
    if (!records) return;
    char name[16] = "";
    struct record *record = prctl(PR_GET_NAME, name) ? NULL : find_record(name);
    if (!record) return;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    long long now = time.tv_sec * 1000000000LL + time.tv_nsec;
    if (!begin) begin = now;
    atomic_fetch_add(now - begin < 1000000000LL ? &record->early : &record->late, 1);
    atomic_fetch_add(&record->bytes, (long)size);
}

void *malloc(size_t size) { count(size); return __libc_malloc(size); }
void *calloc(size_t number, size_t size) { count(number * size); return __libc_calloc(number, size); }
void *realloc(void *memory, size_t size) { count(size); return __libc_realloc(memory, size); }
void *memalign(size_t alignment, size_t size) { count(size); return __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { count(size); return __libc_memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
    count(size);
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : 12;
}

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("ALLOCATIONS_FILE");
    int file = path ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    if (file < 0) return; // A child process of the program leaves the counts alone.
    if (!ftruncate(file, NAMES * sizeof(struct record))) {
        void *memory = mmap(NULL, NAMES * sizeof(struct record), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (memory != MAP_FAILED) records = memory;
    }
    close(file);
}
