import CLinux
import Glibc
import SystemCalls

/// The restrictions that the engine sets on itself before it reads the first order. They apply to all its threads.
///
/// The engine reads only the files that libcurl, OpenSSL and the C library need for connections; opens no file for
/// writing; and starts no programs. Part files are open when the engine receives them.
package enum EngineSandbox {
    /// A restriction that is in force.
    package struct Restrictions: OptionSet, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }
        /// The kernel restricts the paths (Landlock).
        package static let paths = Restrictions(rawValue: 1)
        /// The kernel restricts the system calls (seccomp).
        package static let systemCalls = Restrictions(rawValue: 2)
    }

    /// The folders in which files may be read: certificates, configuration of name resolution, and the modules that
    /// the C library loads for name resolution.
    private static let readableFolders = [
        "/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/etc/crypto-policies", "/usr/lib/ssl",
        "/usr/share/ca-certificates", "/usr/local/share/ca-certificates", "/run/systemd/resolve",
        "/run/NetworkManager", "/run/resolvconf", "/lib", "/lib64", "/usr/lib", "/usr/lib64",
    ]
    /// The files that may be read.
    private static let readableFiles = [
        "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/hosts", "/etc/host.conf", "/etc/gai.conf", "/etc/services",
        "/etc/protocols", "/etc/ld.so.cache", "/etc/localtime", "/dev/urandom", "/dev/null",
    ]

    /// Restricts the calling thread, and the threads that it starts.
    ///
    /// - Returns: The restrictions in force. A kernel without Landlock, or a container that forbids the calls, leaves
    ///   one out.
    package static func apply() -> Restrictions {
        _ = clinux_forbid_dumps()
        guard clinux_forbid_new_privileges() == 0 else { return [] }
        var restrictions: Restrictions = []
        if restrictPaths() { restrictions.insert(.paths) }
        if clinux_forbid_system_calls() == 0 { restrictions.insert(.systemCalls) }
        return restrictions
    }

    /// Restricts the paths; returns false if the kernel does not support it.
    private static func restrictPaths() -> Bool {
        let version = clinux_landlock_version()
        guard version >= 1 else { return false }
        let number = clinux_landlock_create(version)
        guard number >= 0 else { return false }
        let ruleSet = FileDescriptor(owning: number)
        for path in readableFolders { allowReading(path, isFolder: true, ruleSet) }
        for path in readableFiles { allowReading(path, isFolder: false, ruleSet) }
        return clinux_landlock_apply(ruleSet.raw) == 0
    }

    /// Permits reading a file or a folder if it exists.
    private static func allowReading(_ path: String, isFolder: Bool, _ ruleSet: borrowing FileDescriptor) {
        let pathOnlyFlag: Int32 = 0o10_000_000
        guard let file = try? FileDescriptor(opening: path, flags: pathOnlyFlag) else { return }
        _ = clinux_landlock_allow_reading(ruleSet.raw, file.raw, isFolder ? 1 : 0)
    }
}
