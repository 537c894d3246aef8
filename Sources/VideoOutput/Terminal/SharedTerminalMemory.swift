import CLinux
import SharedFrames
import Synchronization
import SystemCalls

/// Memory shared by the two processes that draw on one terminal: the program that owns the terminal, and the
/// compositor. The memory states the cells in which the compositor draws. A process draws only while it holds the
/// memory's lock. Safe to use from any thread.
///
/// A process holds the lock of the memory file while it writes a picture, from the first to the last byte, so that the
/// processes never interrupt each other's sequences. The lock belongs to the open file description, so the kernel
/// releases the lock if a process exits. The program changes the compositor's cells only while it holds the lock. The
/// compositor reads these cells each time it has taken the lock, and draws nowhere else.
///
/// The memory consists of 32-bit words: whether the compositor may draw, the ``TerminalRegion/generation``, the
/// position and size of the region (x, y, columns, rows), the width and height of a cell, the
/// ``TerminalPictureStyle`` (four words; zeros if the program is older), ``TerminalRegion/controlRows``, and the way
/// through a multiplexer (three words, see ``TerminalPictureStyle/passthroughWords``).
package final class SharedTerminalMemory: Sendable {
    /// The size of the shared memory, in bytes.
    package static let byteCount = 64
    /// The number of 32-bit words in use.
    private static let wordCount = 16
    /// The index of the first word of the ``TerminalPictureStyle``.
    private static let styleIndex = 8
    /// The index of the first word of ``TerminalPictureStyle/passthroughWords``.
    private static let passthroughIndex = 13

    /// The shared memory for the terminal behind standard output, which exists until the process exits; nil if it
    /// cannot be allocated.
    package static let standard = try? SharedTerminalMemory()

    /// The descriptor of the memory file. The lock belongs to its open file description. The compositor receives this
    /// descriptor and opens the file again, to have a lock of its own.
    package let descriptor: SharedDescriptor
    /// The shared memory.
    private let mapping: Mapping

    /// Creates the memory in the process that owns the terminal. The compositor may not draw yet.
    package init() throws(SystemCallError) {
        let file = try MemoryFile(name: "swiftplay-terminal", size: Self.byteCount)
        mapping = try file.map(writable: true)
        descriptor = SharedDescriptor(try FileDescriptor(duplicating: file.descriptor.raw))
    }

    /// Maps the received memory read-only in the compositor. ``region`` validates all values in the memory.
    package init(received raw: Int32) throws(SystemCallError) {
        let file = try MemoryFile(
            received: FileDescriptor(duplicating: raw), minimumSize: Self.byteCount, maximumSize: 1 << 20)
        mapping = try file.map(writable: false)
        // Open the file again: with the received descriptor, both processes would have the same lock.
        descriptor = SharedDescriptor(try FileDescriptor(opening: "/proc/self/fd/\(raw)", flags: O_RDWR))
    }

    /// Returns the address of a word of the shared memory.
    private func word(_ index: Int) -> UnsafeMutablePointer<Atomic<UInt32>> {
        mapping.base.assumingMemoryBound(to: Atomic<UInt32>.self) + index
    }

    // MARK: The lock

    /// Takes the lock if it is free. Never waits; async-signal-safe.
    package func tryLock() -> Bool { clinux_lock(descriptor.raw, 1) == 0 }

    /// Releases the lock.
    package func unlock() { _ = clinux_lock(descriptor.raw, 0) }

    // MARK: The cells of the compositor

    /// The cells in which the compositor may draw; nil if there are none or the values are invalid.
    package var region: TerminalRegion? {
        guard isDrawingAllowed else { return nil }
        let words = (0..<Self.wordCount).map { word($0).pointee.load(ordering: .relaxed) }
        guard isDrawingAllowed else { return nil }
        let styleWords = words[Self.styleIndex..<Self.styleIndex + TerminalPictureStyle.wordCount]
        // An older program leaves these words at zero.
        let hasStyle = words[Self.styleIndex] != 0
        let style = TerminalPictureStyle(words: styleWords, passthroughWords: words[Self.passthroughIndex...])
        if hasStyle, style == nil { return nil }
        return TerminalRegion(
            cells: PixelRect(x: Int(words[2]), y: Int(words[3]), width: Int(words[4]), height: Int(words[5])),
            cellWidth: Int(words[6]), cellHeight: Int(words[7]), generation: words[1],
            controlRows: hasStyle ? Int(words[12]) : 0, style: style)
    }

    /// Whether the compositor may draw.
    package var isDrawingAllowed: Bool { word(0).pointee.load(ordering: .acquiring) == 1 }

    /// Permits the compositor to draw in the cells of `region`; the compositor then redraws all of these cells. Call
    /// this method only while this process holds the lock.
    func allowDrawing(in region: TerminalRegion) {
        revokeDrawing()
        _ = word(1).pointee.add(1, ordering: .relaxed)
        let cells = region.cells
        let values = [cells.x, cells.y, cells.width, cells.height, region.cellWidth, region.cellHeight]
        let styleWords = region.style?.words ?? [UInt32](repeating: 0, count: TerminalPictureStyle.wordCount)
        var words = values.map { UInt32(clamping: $0) } + styleWords + [UInt32(clamping: region.controlRows)]
        words += region.style?.passthroughWords ?? [0, 0, 0]
        for (index, value) in words.enumerated() { word(index + 2).pointee.store(value, ordering: .relaxed) }
        word(0).pointee.store(1, ordering: .releasing)
    }

    /// Withdraws the permission of the compositor to draw. The compositor does not draw its next picture then.
    /// Async-signal-safe.
    func revokeDrawing() { word(0).pointee.store(0, ordering: .releasing) }

    /// The address of the word that ``revokeDrawing()`` writes, for signal handlers.
    var drawingPermission: UnsafeMutablePointer<Atomic<UInt32>> { word(0) }
}
