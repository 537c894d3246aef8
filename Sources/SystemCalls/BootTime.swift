import Glibc

/// The time since the machine started, and the identity of that start.
package enum BootTime {
    /// The nanoseconds since the machine started, including the time for which it was suspended.
    package static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * MonotonicTime.nanosecondsPerSecond + Int64(time.tv_nsec)
    }

    /// Returns the identifier that the kernel chose when the machine started; empty if it cannot be read.
    package static func identifier() -> String {
        guard let file = try? FileDescriptor(opening: "/proc/sys/kernel/random/boot_id", flags: O_RDONLY) else {
            return ""
        }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = bytes.withUnsafeMutableBytes { read(file.raw, $0.baseAddress, $0.count) }
        return String(decoding: bytes.prefix(max(0, count)).prefix { $0 > UInt8(ascii: " ") }, as: UTF8.self)
    }
}
