import CLinux
import Glibc
import SystemCalls
import WireFormat

/// The source of low-memory reports that the service manager chose for this process: the kernel's file of stall times,
/// a pipe or a socket (systemd, "Memory Pressure Handling").
final class MemoryWatch {
    /// The setting in the environment variables `MEMORY_PRESSURE_WATCH` and `MEMORY_PRESSURE_WRITE`.
    enum Setting: Equatable {
        /// The variables are not set.
        case none
        /// The process must not watch memory.
        case off
        /// Watch this path, after writing these bytes to it.
        case path(String, writing: [UInt8])

        /// Creates the setting from the values of the environment variables.
        ///
        /// - Parameters:
        ///   - watch: The value of `MEMORY_PRESSURE_WATCH`; nil if it is not set.
        ///   - write: The value of `MEMORY_PRESSURE_WRITE`, in Base64; nil if it is not set.
        init(watch: String?, write: String?) {
            switch watch {
            case nil, "": self = .none
            case "/dev/null": self = .off
            case let path?: self = .path(path, writing: Self.decodeBase64(write ?? "") ?? [])
            }
        }

        /// The setting of this process's environment.
        static var current: Setting {
            func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
            return Setting(watch: value("MEMORY_PRESSURE_WATCH"), write: value("MEMORY_PRESSURE_WRITE"))
        }

        /// Decodes Base64 (RFC 4648); nil if the text is invalid. Foundation's decoder would load Foundation into this
        /// process.
        static func decodeBase64(_ text: String) -> [UInt8]? {
            let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
            var bytes: [UInt8] = [], bits: UInt32 = 0, count = 0
            let digits = text.utf8.prefix { $0 != UInt8(ascii: "=") }
            guard text.utf8.count % 4 == 0, text.utf8.count - digits.count <= 2,
                text.utf8.dropFirst(digits.count).allSatisfy({ $0 == UInt8(ascii: "=") })
            else { return nil }
            for digit in digits {
                guard let value = alphabet.firstIndex(of: digit) else { return nil }
                (bits, count) = (bits << 6 | UInt32(value), count + 6)
                guard count >= 8 else { continue }
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
            return bytes
        }
    }

    private let descriptor: FileDescriptor
    /// Whether the source is a pipe or a socket, which reports by sending data. The kernel's file reports with
    /// `POLLPRI`.
    private let isStream: Bool

    /// Opens the source at `path` and writes `bytes` to it, unless it is a pipe.
    ///
    /// - Throws: ``SystemCallError`` if the path cannot be watched.
    init(path: String, writing bytes: [UInt8]) throws(SystemCallError) {
        var status = stat()
        try systemCall("stat") { stat(path, &status) }
        let fileType = status.st_mode & S_IFMT
        isStream = fileType != S_IFREG
        descriptor =
            if fileType == S_IFSOCK {
                try LocalSocket.connectStream(path: path)
            } else {
                // Open a pipe for writing, too: without a writer, a read reports the end of the file.
                try FileDescriptor(opening: path, flags: O_RDWR | O_NONBLOCK)
            }
        guard !bytes.isEmpty, fileType != S_IFIFO else { return }
        try systemCall("write") { bytes.withUnsafeBytes { write(descriptor.raw, $0.baseAddress, $0.count) } }
    }

    /// The descriptor to poll.
    var entry: Poll.Entry { Poll.Entry(descriptor.raw, isStream ? .readable : .urgent) }

    /// The result of polling the source.
    enum Report { case nothing, shortMemory, lost }

    /// Evaluates the polled events, and discards the data that the source has sent.
    func takeReport(_ ready: Poll.Events) -> Report {
        guard isStream else {
            return ready.contains(.failed) ? .lost : ready.contains(.urgent) ? .shortMemory : .nothing
        }
        guard ready != [] else { return .nothing }
        var bytes = [UInt8](repeating: 0, count: 4096), totalByteCount = 0
        while true {
            let byteCount = bytes.withUnsafeMutableBytes { read(descriptor.raw, $0.baseAddress, $0.count) }
            guard byteCount > 0 else { return totalByteCount > 0 ? .shortMemory : byteCount == 0 ? .lost : .nothing }
            totalByteCount += byteCount
            // The rest is read in the next iteration of the event loop.
            if totalByteCount >= 1 << 16 { return .shortMemory }
        }
    }
}
