import Glibc
import SharedFrames
import SystemCalls

/// The saved rectangles of the floating window: the last rectangle for each set of monitors.
///
/// The file `$XDG_STATE_HOME/swiftplay/pip-window` has one line `MONITORS X Y WIDTH HEIGHT` for each set, newest first.
/// Errors of reading and writing are ignored: the window then opens in its default corner.
struct PlacementMemory {
    /// The largest number of lines and bytes of the file.
    private static let fileLimit = (lines: 32, bytes: 8192)
    /// The lock for reading and replacing the file, because the thread of each display saves its own windows. The value
    /// is unused; its type is not `Void`, because ThreadSanitizer reports the address of a `Void` value.
    private static let lock = Monitor(false)

    /// The path of the file; `nil` if the user has no state directory.
    private let path: String?

    /// Uses the file in `directory`; `nil` for the user's state directory.
    init(directory: String? = nil) { path = (directory ?? Self.directory()).map { $0 + "/pip-window" } }

    /// Returns the user's state directory for SwiftPlay; `nil` without a home directory.
    private static func directory() -> String? {
        func value(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        return (value("XDG_STATE_HOME") ?? value("HOME").map { $0 + "/.local/state" }).map { $0 + "/swiftplay" }
    }

    /// Returns the text that identifies a set of monitors, independent of their order.
    static func monitorSetKey(_ monitors: [PixelRect]) -> String {
        // Mirrored monitors have the same position and may differ in size.
        monitors.sorted { ($0.x, $0.y, $0.width, $0.height) < ($1.x, $1.y, $1.width, $1.height) }
            .map { "\($0.width)x\($0.height)+\($0.x)+\($0.y)" }.joined(separator: ",")
    }

    /// Returns the floating window's saved rectangle for a set of monitors; nil if there is none.
    func savedFrame(for monitors: [PixelRect]) -> PixelRect? {
        let key = Self.monitorSetKey(monitors)
        return readLineFields().first { $0.first.map { $0 == key } ?? false }.flatMap { fields in
            let numbers = fields.dropFirst().compactMap(Int.init).filter { (-32_768...32_768).contains($0) }
            guard fields.count == 5, numbers.count == 4, numbers[2] > 0, numbers[3] > 0 else { return nil }
            return PixelRect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
        }
    }

    /// Saves the floating window's rectangle for a set of monitors.
    func save(_ frame: PixelRect, for monitors: [PixelRect]) {
        guard let path else { return }
        Self.lock.withLock { _ in replace(path, with: frame, for: Self.monitorSetKey(monitors)) }
    }

    /// Writes a new file, in which the line of the monitors `key` precedes the other lines, and renames it to `path`.
    private func replace(_ path: String, with frame: PixelRect, for key: String) {
        let otherLines = readLineFields().filter { $0.first.map { $0 != key } ?? false }
            .map { $0.joined(separator: " ") }
        let newLine = "\(key) \(frame.x) \(frame.y) \(frame.width) \(frame.height)"
        let text = ([newLine] + otherLines.prefix(Self.fileLimit.lines - 1)).joined(separator: "\n") + "\n"
        makeDirectories(path)
        // Each process uses its own temporary file, because a compositor with another runtime directory may replace the
        // same file at the same time.
        let temporaryPath = "\(path).\(getpid())", bytes = Array(text.utf8)
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW
        guard let file = try? FileDescriptor(opening: temporaryPath, flags: flags, mode: 0o600) else { return }
        if write(file.raw, bytes, bytes.count) != bytes.count || rename(temporaryPath, path) != 0 {
            unlink(temporaryPath)
        }
    }

    /// Creates the missing parent directories of `path`.
    private func makeDirectories(_ path: String) {
        var lastSlash = path.startIndex
        while let slashIndex = path[path.index(after: lastSlash)...].firstIndex(of: "/") {
            mkdir(String(path[..<slashIndex]), 0o700)
            lastSlash = slashIndex
        }
    }

    /// Returns the fields of each line of the file; empty if the file is unreadable.
    private func readLineFields() -> [[String]] {
        guard let path, let file = try? FileDescriptor(opening: path, flags: O_RDONLY | O_NONBLOCK) else { return [] }
        var bytes = [UInt8](repeating: 0, count: Self.fileLimit.bytes)
        let byteCount = read(file.raw, &bytes, bytes.count)
        guard byteCount > 0 else { return [] }
        return String(decoding: bytes[..<byteCount], as: UTF8.self).split(separator: "\n").prefix(Self.fileLimit.lines)
            .map { $0.split(separator: " ").map(String.init) }
    }
}
