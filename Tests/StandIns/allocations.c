// Counts the allocations of all threads with one name. To be loaded into a program with LD_PRELOAD.
//
// ALLOCATIONS_THREAD is the thread name as in /proc. On exit, the library writes two numbers into ALLOCATIONS_FILE: the
// allocations within the first second after such a thread's first allocation, and the later ones. If no such thread
// allocates, the library writes no file.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static char wanted[16]; // ALLOCATIONS_THREAD
// The two numbers that the library writes: allocations within the first second, and later ones.
static atomic_long early, late;
// The initial-exec TLS model does not allocate on access, which would recurse into malloc.
static __thread long long begin __attribute__((tls_model("initial-exec")));

// Counts an allocation if the calling thread has the wanted name.
static void count(void) {
    if (!wanted[0]) return;
    char name[16] = "";
    if (prctl(PR_GET_NAME, name) || strncmp(name, wanted, sizeof name)) return;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    long long now = time.tv_sec * 1000000000LL + time.tv_nsec;
    if (!begin) begin = now;
    atomic_fetch_add(now - begin < 1000000000LL ? &early : &late, 1);
}

void *malloc(size_t size) { count(); return __libc_malloc(size); }
void *calloc(size_t number, size_t size) { count(); return __libc_calloc(number, size); }
void *realloc(void *memory, size_t size) { count(); return __libc_realloc(memory, size); }
void *memalign(size_t alignment, size_t size) { count(); return __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { count(); return __libc_memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
    count();
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : 12;
}

__attribute__((constructor)) static void start(void) {
    const char *name = getenv("ALLOCATIONS_THREAD");
    if (name) strncpy(wanted, name, sizeof wanted - 1);
}

__attribute__((destructor)) static void finish(void) {
    const char *path = getenv("ALLOCATIONS_FILE");
    if (!path || !early) return;
    char text[64];
    int length = snprintf(text, sizeof text, "%ld %ld\n", (long)early, (long)late);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file >= 0 && write(file, text, length) == length) close(file);
}
