import Glibc
import SystemCalls

/// A trigger of the kernel, which reports that tasks waited too long for memory (Linux, "PSI - Pressure Stall
/// Information").
final class StallTrigger {
    /// The descriptor to poll for urgent data.
    private let descriptor: FileDescriptor

    /// Sets the trigger.
    ///
    /// - Parameters:
    ///   - path: The path of the kernel's file of stall times.
    ///   - kind: `some` if some task must wait for memory, or `full` if all tasks must wait at once.
    ///   - stall: The stall time within ``MemoryPressure/windowDuration`` at which the trigger fires, in microseconds.
    /// - Returns: nil if the kernel does not permit a trigger, as for ordinary users before Linux 6.4.
    init?(path: String, kind: String, stall: Int64) {
        guard let openedDescriptor = try? FileDescriptor(opening: path, flags: O_RDWR | O_NONBLOCK) else { return nil }
        let triggerText = Array("\(kind) \(stall) \(MemoryPressure.windowDuration / 1000)".utf8) + [0]
        let writtenByteCount = triggerText.withUnsafeBytes { write(openedDescriptor.raw, $0.baseAddress, $0.count) }
        guard writtenByteCount == triggerText.count else { return nil }
        descriptor = openedDescriptor
    }

    /// The descriptor to poll.
    var entry: Poll.Entry { Poll.Entry(descriptor.raw, .urgent) }
}
