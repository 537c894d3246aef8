// Restrictions that a process sets on itself: Landlock (paths) and seccomp (system calls). The structures and the
// program of the seccomp filter consist of macros, which Swift does not import.
#ifndef SWIFTPLAY_CLINUX_SANDBOX_H
#define SWIFTPLAY_CLINUX_SANDBOX_H
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Forbids new privileges, also those of programs with the set-user-ID bit. Landlock and seccomp require it.
static inline int clinux_forbid_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }
// Forbids core dumps, and access to the memory by other processes of the user.
static inline int clinux_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

// The version of Landlock that the kernel supports, or -1.
static inline int clinux_landlock_version(void) {
    return (int)syscall(SYS_landlock_create_ruleset, (void *)0, 0, LANDLOCK_CREATE_RULESET_VERSION);
}
// Returns a descriptor of a rule set that forbids all access to paths that the version can forbid, or -1.
static inline int clinux_landlock_create(int version) {
    struct landlock_ruleset_attr attributes = { .handled_access_fs = (1ull << 13) - 1 };
    if (version >= 2) attributes.handled_access_fs |= 1ull << 13; // LANDLOCK_ACCESS_FS_REFER
    if (version >= 3) attributes.handled_access_fs |= 1ull << 14; // LANDLOCK_ACCESS_FS_TRUNCATE
    if (version >= 5) attributes.handled_access_fs |= 1ull << 15; // LANDLOCK_ACCESS_FS_IOCTL_DEV
    return (int)syscall(
        SYS_landlock_create_ruleset, &attributes, sizeof attributes.handled_access_fs, 0);
}
// Permits reading the file, or all files in the folder, to which a descriptor refers.
static inline int clinux_landlock_allow_reading(int ruleset, int fd, int is_folder) {
    struct landlock_path_beneath_attr rule = { .parent_fd = fd, .allowed_access = LANDLOCK_ACCESS_FS_READ_FILE };
    if (is_folder) rule.allowed_access |= LANDLOCK_ACCESS_FS_READ_DIR;
    return (int)syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}
// Applies the rules to the calling thread and the threads that it starts.
static inline int clinux_landlock_apply(int ruleset) {
    return (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
}

#if defined(__x86_64__)
#define CLINUX_AUDIT_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CLINUX_AUDIT_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define CLINUX_AUDIT_ARCHITECTURE 0
#endif

// Fails a system call with EPERM.
#define CLINUX_FORBID(name) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1)
// Permits no system call that starts programs or processes, accepts connections, changes the file system by a path, or
// reaches other processes and the kernel's administration. Applies to the calling thread and the threads that it
// starts. Returns -1 on failure and on other processors.
static inline int clinux_forbid_system_calls(void) {
    if (CLINUX_AUDIT_ARCHITECTURE == 0) { return -1; }
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CLINUX_AUDIT_ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#if defined(__x86_64__)
        // The numbers of the x32 interface are other names of the same calls.
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
        CLINUX_FORBID(fork), CLINUX_FORBID(vfork), CLINUX_FORBID(rename), CLINUX_FORBID(link), CLINUX_FORBID(unlink),
        CLINUX_FORBID(symlink), CLINUX_FORBID(mkdir), CLINUX_FORBID(rmdir), CLINUX_FORBID(mknod),
        CLINUX_FORBID(chmod), CLINUX_FORBID(chown), CLINUX_FORBID(lchown), CLINUX_FORBID(creat),
        CLINUX_FORBID(ioperm), CLINUX_FORBID(iopl), CLINUX_FORBID(modify_ldt),
#endif
        CLINUX_FORBID(execve), CLINUX_FORBID(execveat), CLINUX_FORBID(ptrace), CLINUX_FORBID(process_vm_readv),
        CLINUX_FORBID(process_vm_writev), CLINUX_FORBID(pidfd_getfd), CLINUX_FORBID(pidfd_send_signal),
        CLINUX_FORBID(kill), CLINUX_FORBID(tkill), CLINUX_FORBID(rt_sigqueueinfo), CLINUX_FORBID(rt_tgsigqueueinfo),
        CLINUX_FORBID(listen), CLINUX_FORBID(accept), CLINUX_FORBID(accept4), CLINUX_FORBID(mount),
        CLINUX_FORBID(umount2), CLINUX_FORBID(pivot_root), CLINUX_FORBID(chroot), CLINUX_FORBID(setns),
        CLINUX_FORBID(unshare), CLINUX_FORBID(open_by_handle_at), CLINUX_FORBID(name_to_handle_at),
        CLINUX_FORBID(renameat), CLINUX_FORBID(renameat2), CLINUX_FORBID(linkat), CLINUX_FORBID(unlinkat),
        CLINUX_FORBID(symlinkat), CLINUX_FORBID(mkdirat), CLINUX_FORBID(mknodat), CLINUX_FORBID(fchmodat),
        CLINUX_FORBID(fchownat), CLINUX_FORBID(truncate), CLINUX_FORBID(setxattr), CLINUX_FORBID(lsetxattr),
        CLINUX_FORBID(removexattr), CLINUX_FORBID(bpf), CLINUX_FORBID(perf_event_open), CLINUX_FORBID(userfaultfd),
        CLINUX_FORBID(io_uring_setup), CLINUX_FORBID(keyctl), CLINUX_FORBID(add_key), CLINUX_FORBID(request_key),
        CLINUX_FORBID(init_module), CLINUX_FORBID(finit_module), CLINUX_FORBID(delete_module),
        CLINUX_FORBID(kexec_load), CLINUX_FORBID(reboot), CLINUX_FORBID(swapon), CLINUX_FORBID(swapoff),
        CLINUX_FORBID(acct), CLINUX_FORBID(quotactl), CLINUX_FORBID(personality), CLINUX_FORBID(settimeofday),
        CLINUX_FORBID(clock_settime), CLINUX_FORBID(sethostname), CLINUX_FORBID(syslog),
        // A filter cannot read the flags of clone3; without it, the C library uses clone.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 38 /* ENOSYS */),
        // Permit clone only for threads (CLONE_THREAD).
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x00010000, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { .len = sizeof filter / sizeof filter[0], .filter = filter };
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}
#undef CLINUX_FORBID
#endif
