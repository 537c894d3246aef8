import Glibc
import SharedFrames
import SystemCalls

/// The store of the floating window's last rectangle for each set of monitors.
///
/// The file `$XDG_STATE_HOME/swiftplay/pip-window` has one line `MONITORS X Y WIDTH HEIGHT` for each set, newest first.
/// Errors of reading and writing are ignored: the window then opens in its default corner.
struct PlacementMemory {
    private static let limit = (lines: 32, bytes: 8192)
    /// The lock for reading and replacing the file: the thread of each display saves its own windows.
    private static let turn = Monitor(())

    private let path: String?

    /// - Parameter directory: The directory of the file; `nil` for the user's state directory.
    init(directory: String? = nil) { path = (directory ?? Self.directory()).map { $0 + "/pip-window" } }

    private static func directory() -> String? {
        func value(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        return (value("XDG_STATE_HOME") ?? value("HOME").map { $0 + "/.local/state" }).map { $0 + "/swiftplay" }
    }

    /// Returns the text that identifies a set of monitors, whatever their order.
    static func key(_ monitors: [PixelRect]) -> String {
        monitors.sorted { ($0.x, $0.y) < ($1.x, $1.y) }.map { "\($0.width)x\($0.height)+\($0.x)+\($0.y)" }.joined(
            separator: ",")
    }

    /// Returns the saved rectangle for a set of monitors.
    func place(for monitors: [PixelRect]) -> PixelRect? {
        let key = Self.key(monitors)
        return lines().first { $0.first.map { $0 == key } ?? false }.flatMap { words in
            let numbers = words.dropFirst().compactMap(Int.init).filter { (-32_768...32_768).contains($0) }
            guard words.count == 5, numbers.count == 4, numbers[2] > 0, numbers[3] > 0 else { return nil }
            return PixelRect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
        }
    }

    /// Saves the rectangle for a set of monitors.
    func remember(_ frame: PixelRect, for monitors: [PixelRect]) {
        guard let path else { return }
        Self.turn.withLock { _ in replace(path, with: frame, for: Self.key(monitors)) }
    }

    private func replace(_ path: String, with frame: PixelRect, for key: String) {
        let others = lines().filter { $0.first.map { $0 != key } ?? false }.map { $0.joined(separator: " ") }
        let text =
            (["\(key) \(frame.x) \(frame.y) \(frame.width) \(frame.height)"] + others.prefix(Self.limit.lines - 1))
            .joined(separator: "\n") + "\n"
        makeDirectories(path)
        // Each process uses its own temporary file: a compositor of another runtime directory may replace the file,
        // too.
        let new = "\(path).\(getpid())", bytes = Array(text.utf8)
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW
        guard let file = try? FileDescriptor(opening: new, flags: flags, mode: 0o600) else { return }
        if write(file.raw, bytes, bytes.count) != bytes.count || rename(new, path) != 0 { unlink(new) }
    }

    private func makeDirectories(_ path: String) {
        var end = path.startIndex
        while let slash = path[path.index(after: end)...].firstIndex(of: "/") {
            mkdir(String(path[..<slash]), 0o700)
            end = slash
        }
    }

    private func lines() -> [[String]] {
        guard let path, let file = try? FileDescriptor(opening: path, flags: O_RDONLY | O_NONBLOCK) else { return [] }
        var bytes = [UInt8](repeating: 0, count: Self.limit.bytes)
        let count = read(file.raw, &bytes, bytes.count)
        guard count > 0 else { return [] }
        return String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n").prefix(Self.limit.lines)
            .map { $0.split(separator: " ").map(String.init) }
    }
}
