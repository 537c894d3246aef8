import Glibc
import SystemCalls

/// A trigger at the kernel's stall times: it reports when tasks waited for memory too long (Linux, "PSI - Pressure
/// Stall Information").
final class StallTrigger {
    /// The descriptor to poll for urgent data.
    private let descriptor: FileDescriptor

    /// - Parameters:
    ///   - path: The path of the kernel's file.
    ///   - kind: `some` or `full`.
    ///   - stall: The stall time in microseconds within ``MemoryPressure/window``.
    /// - Returns: nil if the kernel does not permit a trigger, as for ordinary users before Linux 6.4.
    init?(path: String, kind: String, stall: Int64) {
        guard let opened = try? FileDescriptor(opening: path, flags: O_RDWR | O_NONBLOCK) else { return nil }
        let text = Array("\(kind) \(stall) \(MemoryPressure.window / 1000)".utf8) + [0]
        let count = text.withUnsafeBytes { write(opened.raw, $0.baseAddress, $0.count) }
        guard count == text.count else { return nil }
        descriptor = opened
    }

    /// The descriptor to poll.
    var entry: Poll.Entry { Poll.Entry(descriptor.raw, .urgent) }
}
