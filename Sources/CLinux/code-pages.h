// The pages of the program and of the libraries that are loaded into this process. Swift's Glibc module lacks
// link.h, whose types and macros this file needs.
#ifndef SWIFTPLAY_CLINUX_CODE_PAGES_H
#define SWIFTPLAY_CLINUX_CODE_PAGES_H
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// link.h declares these only with _GNU_SOURCE, which the Glibc module does not define. See dl_iterate_phdr(3).
#ifndef __USE_GNU
struct dl_phdr_info {
    ElfW(Addr) dlpi_addr;
    const char *dlpi_name;
    const ElfW(Phdr) *dlpi_phdr;
    ElfW(Half) dlpi_phnum;
};
extern int dl_iterate_phdr(int (*callback)(struct dl_phdr_info *, size_t, void *), void *context);
#endif

#define CLINUX_MAX_LIBRARIES 1024

// The libraries that a call holds loaded, and the bytes that it has unmapped.
struct clinux_code_pages {
    char *names[CLINUX_MAX_LIBRARIES];
    void *handles[CLINUX_MAX_LIBRARIES];
    int count;
    size_t bytes;
};

// Adds a loaded library's path. The program itself has an empty name; the kernel's library (vDSO) has no path.
static inline int clinux_collect_library(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    struct clinux_code_pages *pages = context;
    if (info->dlpi_name[0] != '/' || pages->count == CLINUX_MAX_LIBRARIES) return 0;
    char *name = strdup(info->dlpi_name);
    if (name) pages->names[pages->count++] = name;
    return 0;
}

// Returns whether the loader changes the code of a library (text relocations), so that the file cannot restore it.
static inline int clinux_changes_code(const struct dl_phdr_info *info) {
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        const ElfW(Dyn) *entry = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++)
            if (entry->d_tag == DT_TEXTREL || (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL))) return 1;
    }
    return 0;
}

// Unmaps the whole pages of the segments that nothing writes: code and constants. Data that the loader has relocated
// is in writable segments.
static inline int clinux_unmap_library(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    struct clinux_code_pages *pages = context;
    int is_held = info->dlpi_name[0] == 0;
    for (int i = 0; i < pages->count && !is_held; i++)
        is_held = pages->handles[i] && strcmp(pages->names[i], info->dlpi_name) == 0;
    if (!is_held || clinux_changes_code(info)) return 0;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD || (header->p_flags & PF_W)) continue;
        uintptr_t start = (info->dlpi_addr + header->p_vaddr + page - 1) & ~(page - 1);
        uintptr_t end = (info->dlpi_addr + header->p_vaddr + header->p_filesz) & ~(page - 1);
        if (start < end && madvise((void *)start, end - start, MADV_DONTNEED) == 0) pages->bytes += end - start;
    }
    return 0;
}

// Unmaps the code and constants of the program and of all loaded libraries, and returns the size of the segments in
// bytes. Each library is held by a handle meanwhile, so that no other thread can unload it and map its addresses anew.
static inline size_t clinux_unmap_code_pages(void) {
    struct clinux_code_pages *pages = calloc(1, sizeof *pages);
    if (!pages) return 0;
    dl_iterate_phdr(clinux_collect_library, pages);
    for (int i = 0; i < pages->count; i++) pages->handles[i] = dlopen(pages->names[i], RTLD_LAZY | RTLD_NOLOAD);
    dl_iterate_phdr(clinux_unmap_library, pages);
    for (int i = 0; i < pages->count; i++) {
        if (pages->handles[i]) dlclose(pages->handles[i]);
        free(pages->names[i]);
    }
    size_t bytes = pages->bytes;
    free(pages);
    return bytes;
}
#endif
